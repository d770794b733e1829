#!/usr/bin/env python3
"""Checks what fa_matrix promises about tables: check_contract.py PROGRAM

Feeds it tables of rows that the project's own table does not hold, good and bad, and compares
status and reason of each row, the summary and the exit status.
"""
import pathlib
import subprocess
import sys
import tempfile

HEADER = ("suite,op,dtype,batch,hq,hk,d,dv,sq,sk,causal,wl,wr,alibi,softcap,dropout,rotary,page,"
          "splits,varlen,layout,fp8,notes")
BASE = dict(suite="x", op="fwd", dtype="bf16", batch=2, hq=4, hk=2, d=64, dv=64, sq=33, sk=70,
            causal=0, wl=-1, wr=-1, alibi=0, softcap=0, dropout=0, rotary=0, page=0, splits=1,
            varlen="none", layout="bshd", fp8="none", notes="tol=A2;lse=1;tier=S")
problems = []


def check(holds, what):
    if not holds:
        problems.append(what)


def run(program, text, *more, machine="host"):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.csv"
        path.write_text(text)
        done = subprocess.run([program, "--machine", machine, "--csv", str(path), *more],
                              capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines(), done.stderr


def line(**changes):
    notes = changes.pop("more", None)
    row = {**BASE, **changes}
    if notes:
        row["notes"] = f"{row['notes']};{notes}"
    return ",".join(str(row[c]) for c in HEADER.split(","))


# (expected status, a word of the reason, row)
THD = dict(layout="thd", varlen="cu")
ROWS = [
    ("pass", "", line()),
    ("pass", "", line(dtype="fp16", causal=1)),
    ("pass", "", line(dtype="fp32", causal=1, wl=7)),
    ("pass", "", line(wl=3, wr=5, notes="tol=CK;lse=1")),
    ("pass", "", line(dtype="fp32", sq=1, notes="tol=CK")),
    ("pass", "", line(sq=200, sk=73, causal=1, more="expect=O0_lse-inf")),
    ("fail", "no row of the case is empty",
     line(sq=73, sk=200, causal=1, more="expect=O0_lse-inf")),
    ("pass", "", line(sk=0, more="expect=O0_lse-inf")),
    ("pass", "", line(batch=0)),
    ("pass", "", line(sq=0)),
    ("pass", "", line(d=192, dv=128, layout="bhsd")),
    ("pass", "", line(d=59, dv=59, layout="sbhd")),
    ("pass", "", line(d=1, dv=1)),
    ("pass", "", line(d=512, dv=512, hq=1, hk=1, batch=1)),
    ("pass", "", line(hk=4, sq=70, layout="qkvpacked")),
    ("pass", "", line(hq=6, sq=70, layout="qkvpacked")),
    ("pass", "", line(layout="kvpacked", causal=1)),
    ("pass", "", line(**THD, more="lens=near")),
    ("pass", "", line(batch=5, **THD, more="lens=mix")),
    ("pass", "", line(batch=5, causal=1, layout="thd", varlen="seqused_k", more="lens=third")),
    ("pass", "", line(batch=5, causal=1, layout="thd", varlen="seqused_qk", more="lens=zeroK")),
    ("pass", "", line(batch=5, wl=9, wr=3, layout="thd_kvpacked", varlen="padded",
                      more="lens=zeroQ;poison=nan")),
    ("pass", "", line(batch=5, sq=70, hk=4, layout="thd_qkvpacked", varlen="padded",
                      more="lens=ones;poison=inf")),
    ("pass", "",
     line(batch=5, sq=70, hk=4, layout="thd_qkvpacked", varlen="cu", more="lens=zeroK")),
    ("pass", "", line(batch=7, **THD, more="lens=page_edge")),
    ("pass", "", line(layout="thd")),
    ("pass", "", line(more="scale=0;expect=mean_of_V")),
    ("pass", "", line(more="scale=-0.3")),
    ("pass", "", line(more="scale=(d+dv)^-.5")),
    ("pass", "", line(more="scale=1/sqrt(d)")),
    ("pass", "", line(more="scale=192^-.5")),
    ("fail", "expect=mean_of_V", line(more="scale=1;expect=mean_of_V")),
    ("pass", "", line(notes="tol=AC;init=V1;expect=O_is_V")),
    ("pass", "", line(notes="tol=AC;init=V-2.5;expect=O_is_V;lse=1")),
    ("fail", "O_is_V", line(notes="tol=AC;init=randn;expect=O_is_V")),
    ("pass", "", line(sq=128, sk=128, notes="tol=AC;cmp=component_budget;lse=1")),
    ("pass", "", line(more="init=big1e4;expect=no_nan")),
    ("pass", "", line(more="init=neg;expect=no_zero_rows")),
    ("pass", "", line(more="init=u01")),
    ("pass", "", line(more="init=u(-1:3)")),
    ("pass", "", line(more="init=q*5:k*3:v*3;expect=no_nan")),
    ("pass", "", line(layout="bhsd", more="cmp=vs_contig")),
    ("pass", "", line(layout="sbhd", causal=1, more="cmp=vs_contig")),
    ("pass", "", line(more="cmp=bitwise;repeat=3")),
    ("pass", "", line(more="cmp=lse_vs_definition")),
    ("pass", "", line(causal=1, more="maskalign=tl")),
    ("pass", "", line(causal=1, more="maskalign=br")),
    ("pass", "", line(more="out=fp32")),
    ("pass", "", line(more="out=bf16;seed=0xffffffffffffffff;det=1;pin=anything;blk=F9")),
    ("pass", "", line(splits=0)),
    ("pass", "", line(wl=100000, wr=100000)),
    ("pass", "refused", line(d=513, more="expect=error")),
    ("pass", "k.heads", line(hq=5, more="expect=error")),
    ("pass", "q.batch", line(batch=-1, more="expect=error")),
    ("refused", "k.heads", line(hq=5)),
    ("refused", "q.seqlen", line(sq=-3)),
    ("refused", "head sizes", line(d=0)),
    ("fail", "succeeded", line(more="expect=error")),
    ("unsupported", "is not built", line(d=57, dv=57)),
    ("unsupported", "top-left", line(causal=1, wl=3, more="maskalign=tl")),
    ("unsupported", "alibi", line(alibi="BH")),
    ("unsupported", "alibi", line(alibi="H")),
    ("unsupported", "softcap", line(softcap=15)),
    ("unsupported", "dropout", line(dropout=0.17)),
    ("unsupported", "rotary", line(rotary="i64")),
    ("unsupported", "paged", line(page=16)),
    ("unsupported", "splits", line(splits=3)),
    ("unsupported", "fp8", line(fp8="ocp:pt")),
    ("unsupported", "leftpad", line(layout="thd", varlen="leftpad", more="leftpad")),
    ("unsupported", "bwd", line(op="bwd")),
    ("unsupported", "decode", line(op="decode")),
    ("unsupported", "op=backflip", line(op="backflip")),
    ("unsupported", "bias", line(more="bias=BH")),
    ("unsupported", "sink", line(more="sink=H")),
    ("unsupported", "ssink", line(more="ssink=4")),
    ("unsupported", "chunk", line(more="chunk=64")),
    ("unsupported", "qv", line(more="qv=1")),
    ("unsupported", "dtype=fp64", line(dtype="fp64")),
    ("unsupported", "layout=hnd", line(layout="hnd")),
    ("unsupported", "tolerance id ZZ", line(notes="tol=ZZ")),
    ("unsupported", "wobble", line(more="wobble=1")),
    ("unsupported", "expect=miracles", line(more="expect=miracles")),
    ("unsupported", "cmp=vs_moon", line(more="cmp=vs_moon")),
    ("unsupported", "init=primes", line(more="init=primes")),
    ("unsupported", "lens=spiral", line(**THD, more="lens=spiral")),
    ("unsupported", "lens", line(more="lens=near")),
    ("fail", "malformed", line(sq="many")),
    ("fail", "malformed", line(batch="")),
    ("fail", "malformed", line(causal=2)),
    ("fail", "malformed", line(more="scale=two")),
    ("fail", "malformed", line(more="lse=1")),
    ("fail", "malformed", line(sq=71, layout="qkvpacked")),
    ("fail", "malformed", line(dv=128, layout="kvpacked")),
    ("fail", "malformed", line(notes="tier=XL")),
    ("fail", "malformed", line() + ",one,too,many"),
    ("fail", "malformed", "x,fwd,bf16"),
]


def check_rows(program):
    code, out, err = run(program, "\n".join([HEADER, *(r for _, _, r in ROWS)]) + "\n")
    check(code == 1, f"a table with failing rows exits {code}: {err}")
    check(len(out) == len(ROWS) + 1, f"{len(out)} lines for {len(ROWS)} rows")
    for number, ((status, word, row), got) in enumerate(zip(ROWS, out), 1):
        fields = got.split(",")
        if (len(fields) != 5 or fields[0] != str(number) or fields[1] != status
                or word not in fields[4]):
            problems.append(f"row {row}\n  wanted {status} ...{word}..., got {got}")
        if fields[1] == "pass" and fields[2]:
            check(float(fields[2]) <= float(fields[3]), f"passed beyond its tolerance: {got}")
    counts = {s: sum(1 for status, _, _ in ROWS if status == s)
              for s in ("pass", "fail", "unsupported", "refused")}
    want = f"{len(ROWS)} rows: " + ", ".join(f"{n} {s}" for s, n in counts.items())
    check(out and out[-1] == want, f"summary {out[-1:]} instead of {want}")


def check_tables(program):
    # Columns in another order, quotes, a byte order mark, carriage returns, blank lines, a
    # missing optional column.
    code, out, _ = run(program, "\ufeffnotes,sk,sq,dv,d,hk,hq,batch,dtype,op\r\n"
                                '"tol=A2;tier=S",70,33,64,64,2,4,2,fp16,fwd\r\n\r\n')
    check(code == 0 and out[0].startswith("1,pass,"), f"columns in another order: {out}")
    code, out, _ = run(program, HEADER + ",mood\n" + line() + ",0\n" + line() + ",gloomy\n")
    check(code == 0 and out[0].startswith("1,pass,") and out[1].startswith("2,unsupported,") and
          "mood" in out[1], f"unknown column: {out}")
    code, out, err = run(program, HEADER.replace("dtype", "kind") + "\n" + line() + "\n")
    check(code == 2 and "dtype" in err, f"missing column: {code} {err}")
    code, out, err = run(program, "")
    check(code == 2 and err, f"empty file: {code} {err}")
    code, out, _ = run(program, HEADER + "\n")
    check(code == 0 and out == ["0 rows: 0 pass, 0 fail, 0 unsupported, 0 refused"],
          f"no rows: {code} {out}")
    tiers = "\n".join([HEADER, line(notes="tier=S"), line(notes="tier=M"), line(notes="tier=L"),
                       line(notes="tol=A2")]) + "\n"
    for tier, rows in (("S", "14"), ("M", "124"), ("L", "1234")):
        code, out, _ = run(program, tiers, "--tier", tier)
        check("".join(l.split(",")[0] for l in out[:-1]) == rows, f"tier {tier}: {out}")
    for rows, want in (("2-3", "23"), ("4", "4"), ("3-99", "34")):
        code, out, _ = run(program, tiers, "--rows", rows)
        check("".join(l.split(",")[0] for l in out[:-1]) == want, f"rows {rows}: {out}")
    code, out, err = run(program, tiers, machine="device")
    check(code == 2 and "no device" in err, f"device: {code} {err}")


def check_usage(program):
    table = __file__  # never read: the arguments are wrong
    good = ["--machine", "host", "--csv", table]
    for arguments in ([], good[:2], good[2:], good + ["--tier", "X"], good + ["--rows", "5-2"],
                      good + ["--rows", "0-2"], good + ["--rows"],
                      good + ["--fast"], ["--machine", "moon", "--csv", table],
                      ["--machine", "host", "--csv", "/nowhere/at/all.csv"]):
        done = subprocess.run([program, *arguments], capture_output=True, text=True)
        check(done.returncode == 2 and done.stderr, f"usage {arguments}: exit {done.returncode}")
    done = subprocess.run([program, "--help"], capture_output=True, text=True)
    check(done.returncode == 0 and "--tier" in done.stdout and
          "Head sizes" in done.stdout, "--help")


def main():
    program = sys.argv[1]
    check_rows(program)
    check_tables(program)
    check_usage(program)
    for p in problems:
        print(p)
    print(f"{len(ROWS)} rows, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
