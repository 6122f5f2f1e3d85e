# The tables of run_simulators.sh, of its csv. -v simgrid=VERSION -v runs=N.
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
function at(name) { return $column[name] }
{
    rate = at("messages") / at("run_s")
    if (at("simulator") == "shmcoll") {
        ours = rate
        our_time_s = at("time_s")
    }
    if (at("beside") != group) head(group = at("beside"))
    printf "%-14s %8d %9d %11.6f %10.4f %8s %9.3f %8.1f %12.6g %7s %s\n", at("simulator"), at("procs"), at("messages"),
        at("run_s"), rate / 1e6, at("read_s") == "-" ? "-" : sprintf("%.3f", at("read_s")), at("process_s"), at("peak_mib"), at("time_s"),
        at("simulator") == "shmcoll" ? "-" : sprintf("%.0f", ours / rate), verdict()
}
END { print "asked for: SimGrid 100 times; 65536 ranks at 4 Mmsg/s; 1048576 ranks in a process of 8 s and 1024 MiB" }
# SimGrid rounds to 10 us, of seconds.
function verdict(difference) {
    difference = at("time_s") / our_time_s - 1
    if (at("simulator") == "shmcoll") return ""
    if (at("simulator") == "default") return "another network"
    return (difference < 0 ? -difference : difference) < 1e-4 ? "same time" : "ANOTHER TIME"
}
function head(group) {
    if (group == "SimGrid") {
        printf "\nThe same messages on SimGrid %s (smpirun -replay of our traces) and here: Bruck allgather, 8 bytes a rank\n", simgrid
        print "Its model of contention: messages are flows over one link up and one down a host, which share them max-min fairly,"
        print "solved anew whenever one starts or ends. CM02: bare, on a slow network that both know alike. default: with the factors"
        print "fitted to TCP that smpirun takes unless told otherwise. Ours: LogGP without contention, which this schedule meets in"
        printf "neither, the schedule generated. Best of %d runs\n", runs
    } else {
        print "\nBy LogGOPSim's own network (L=2500ns o=1500ns g=1000ns G=6ns/B): generated, from GOAL text, and LogGOPSim if LOGGOPSIM"
        print "says where it is"
    }
    printf "%-14s %8s %9s %11s %10s %8s %9s %8s %12s %7s\n", "simulator", "ranks", "messages", "run s", "Mmsg/s", "read s",
        "process s", "peak MiB", "simulated s", "ratio"
}
