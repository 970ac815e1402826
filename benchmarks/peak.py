"""`python -m benchmarks.peak COMMAND…`: the command's peak memory, CPU time and status.

A process of its own, and a small one: Linux counts the memory of the process that starts a
command into the command's peak.
"""

import json
import os
import subprocess
import sys

if __name__ == "__main__":
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    print(
        json.dumps(
            {
                "bytes": usage.ru_maxrss * unit,
                "seconds": usage.ru_utime + usage.ru_stime,
                "status": process.returncode,
            }
        )
    )
