# What came over the guest's console, counted: awk -v name=TOPOLOGY -f judge.awk LOG. Prints "PASSED FAILED" last and before
# it a line a failure. Each program states its totals as cmocka does, except the command, which is held against what the
# emulator was told by others. In the guest nothing may be skipped; an end that is missing is a failure.
function fail(why) { print "guest " name ": " why; failed++ }
function totals_clear() { ok = bad = skipped = 0 }
{ sub(/\r$/, "") }
/^guest: begin / { program = substr($0, 14); totals_clear() }
/^\[  PASSED  \] [0-9]+ test/ { ok += $4 }
/^\[  FAILED  \] [0-9]+ test/ { bad += $4 }
/^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
/^guest: end / {
    status = $3
    passed += ok
    if (bad) {
        fail(program ": " bad " failed")
        failed += bad - 1
    } else if (status != 0)
        fail(program ": status " status)
    else if (skipped)
        fail(program ": " skipped " skipped")
    else if (!ok && program !~ /^\/bin\/shmcoll /)
        fail(program ": no totals")
    ended++
    program = ""
}
/^guest: (cannot|failed)/ { fail($0) }
/^guest: done/ { done = 1 }
END {
    if (program != "")
        fail(program ": did not end")
    else if (!done)
        fail("stopped, or never started")
    if (!ended)
        fail("nothing ran")
    print passed + 0, failed + 0
}
