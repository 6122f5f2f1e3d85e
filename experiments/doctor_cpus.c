/* Doctor: processors, frequencies, other work and clocks. */
#include "experiments/doctor_checks.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int cpus_allowed(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
}

void doctor_look_cpus(struct doctor_finding *out)
{
    int allowed = cpus_allowed(), online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (allowed <= 0)
        doctor_set(out, DOCTOR_UNKNOWN, "", "%d online, allowed unknown", online);
    else if (allowed < 2)
        doctor_set(out, DOCTOR_WARN, "a cpuset with more cpus: ranks that share one wait for each other's time slice",
                   "%d allowed of %d online", allowed, online);
    else
        doctor_set(out, allowed < online ? DOCTOR_NOTE : DOCTOR_OK,
                   allowed < online ? "taskset or the cgroup's cpuset, if all are wanted" : "", "%d allowed of %d online",
                   allowed, online);
}

void doctor_look_cpu_quota(struct doctor_finding *out)
{
    char line[64];
    double quota = 0, period = 0;
    if (doctor_read_line("/sys/fs/cgroup/cpu.max", line, sizeof line) == 0)
        sscanf(line, "%lf %lf", &quota, &period);
    else if (doctor_read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line, sizeof line) == 0 && (quota = atof(line)) > 0 &&
             doctor_read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", line, sizeof line) == 0)
        period = atof(line);
    if (quota <= 0 || period <= 0) {
        doctor_set(out, DOCTOR_OK, "", "none");
        return;
    }
    int tight = quota / period < cpus_allowed();
    doctor_set(out, tight ? DOCTOR_WARN : DOCTOR_OK,
               tight ? "a higher cpu.max, or fewer ranks: a throttled rank stalls all others for tens of ms" : "", "%.2f cpus",
               quota / period);
}

void doctor_look_smt(struct doctor_finding *out)
{
    char line[32];
    if (doctor_read_line("/sys/devices/system/cpu/smt/active", line, sizeof line)) {
        doctor_set(out, DOCTOR_UNKNOWN, "", "the kernel does not tell");
        return;
    }
    int on = atoi(line) != 0;
    doctor_set(out, on ? DOCTOR_NOTE : DOCTOR_OK, on ? "place ranks on one thread of each core (--place list:...)" : "",
               on ? "on" : "off");
}

void doctor_look_governor(struct doctor_finding *out)
{
    char path[96], line[64], first[64] = "";
    int mixed = 0;
    for (int cpu = 0; cpu < 4096; cpu++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
        if (doctor_read_line(path, line, sizeof line))
            break;
        if (!*first)
            memcpy(first, line, sizeof first);
        mixed |= strcmp(first, line) != 0;
    }
    if (!*first) {
        doctor_set(out, DOCTOR_UNKNOWN, "", "the kernel does not tell (virtual machine, or firmware decides)");
        return;
    }
    int fine = !mixed && strcmp(first, "performance") == 0;
    doctor_set(out, fine ? DOCTOR_OK : DOCTOR_WARN, fine ? "" : "cpupower frequency-set -g performance",
               mixed ? "%s and others" : "%s", first);
}

void doctor_look_turbo(struct doctor_finding *out)
{
    char line[32];
    int on = -1;
    if (doctor_read_line("/sys/devices/system/cpu/intel_pstate/no_turbo", line, sizeof line) == 0)
        on = atoi(line) == 0;
    else if (doctor_read_line("/sys/devices/system/cpu/cpufreq/boost", line, sizeof line) == 0)
        on = atoi(line) != 0;
    if (on < 0)
        doctor_set(out, DOCTOR_UNKNOWN, "", "the kernel does not tell");
    else
        doctor_set(
            out, on ? DOCTOR_NOTE : DOCTOR_OK,
            on ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo for times that do not depend on how many cores work"
               : "",
            on ? "on" : "off");
}

/* Time stolen by the hypervisor, in percent of all since boot; negative if unknown. */
static double stolen_percent(void)
{
    char line[256];
    double user, nice, sys, idle, iowait, irq, softirq, steal;
    if (doctor_read_line("/proc/stat", line, sizeof line) ||
        sscanf(line, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &sys, &idle, &iowait, &irq, &softirq, &steal) != 8)
        return -1;
    double busy = user + nice + sys + irq + softirq + steal;
    return busy > 0 ? 100 * steal / busy : 0;
}

void doctor_look_virtual(struct doctor_finding *out)
{
    int hypervisor = 0;
    FILE *file = fopen("/proc/cpuinfo", "re");
    for (char line[4096]; file && !hypervisor && fgets(line, sizeof line, file);)
        hypervisor = strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor") != NULL;
    if (file)
        fclose(file);
    double steal = stolen_percent();
    if (!hypervisor)
        doctor_set(out, DOCTOR_OK, "", "no hypervisor seen");
    else
        doctor_set(out, steal > 1 ? DOCTOR_WARN : DOCTOR_NOTE,
                   "dedicated cpus; compare ratios within one run rather than times across runs",
                   "virtual machine, %.1f %% of busy time stolen since boot", steal);
}

void doctor_look_load(struct doctor_finding *out)
{
    double load[1];
    if (getloadavg(load, 1) != 1) {
        doctor_set(out, DOCTOR_UNKNOWN, "", "the kernel does not tell");
        return;
    }
    int busy = load[0] > 0.5;
    doctor_set(out, busy ? DOCTOR_WARN : DOCTOR_OK, busy ? "end other work: a rank that loses its core stops all" : "",
               "load average %.2f", load[0]);
}

static double clock_read_ns(void)
{
    enum { READS = 20000 };
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < READS; i++)
        clock_gettime(CLOCK_MONOTONIC, &now);
    return ((double)(now.tv_sec - start.tv_sec) * 1e9 + (double)(now.tv_nsec - start.tv_nsec)) / READS;
}

void doctor_look_clock(struct doctor_finding *out)
{
    char source[64] = "unknown source";
    doctor_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source, sizeof source);
    double ns = clock_read_ns();
    doctor_set(out, ns > 200 ? DOCTOR_WARN : DOCTOR_OK,
               ns > 200 ? "clocksource=tsc on the kernel command line, if the processor's is stable" : "",
               "%s, %.0f ns a reading", source, ns);
}
