"""What bm25s takes for the same tools and queries: one JSON object on stdout. Arguments: tools, queries, one text a line in JSON."""

import json
import sys
import time

import bm25s
import Stemmer


def resident():
    with open("/proc/self/status") as status:
        return next((int(line.split()[1]) for line in status if line.startswith("VmRSS:")), 0)


def percentile(times, percent):
    return sorted(times)[max(0, -(-len(times) * percent // 100) - 1)] * 1e6


tools, queries = ([json.loads(line) for line in open(path)] for path in sys.argv[1:3])
stemmer = Stemmer.Stemmer("english")


def tokens(texts):
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)


before = resident()
start = time.perf_counter()
index = bm25s.BM25()
index.index(tokens(tools), show_progress=False)
build = time.perf_counter() - start
memory = resident() - before
times = []
for counts in (False, True):
    for query in queries:
        start = time.perf_counter()
        index.retrieve(tokens([query]), k=10, show_progress=False)
        if counts:
            times.append(time.perf_counter() - start)
print(json.dumps({"build_ms": build * 1e3, "kib_a_tool": memory / len(tools),
                  "p50": percentile(times, 50), "p99": percentile(times, 99)}))
