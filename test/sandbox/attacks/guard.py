"""Tries one way to make git on the host run a program, in the folder that it is started in. Prints what came of it."""
import ctypes
import os
import shutil
import sys

MARKER = os.environ.get("MARKER", "ran")
PAYLOAD = '\n[core]\n\tfsmonitor = "touch %s; false"\n' % os.path.join(os.getcwd(), MARKER)


def append(path, text=PAYLOAD):
    with open(path, "a") as file:
        file.write(text)


def evil_copy(name):
    shutil.copytree(".git", name, symlinks=True)
    append(name + "/config")


def config():
    append(".git/config")


def hook():
    with open(".git/hooks/pre-commit", "w") as file:
        file.write("#!/bin/sh\ntouch %s\n" % os.path.join(os.getcwd(), MARKER))
    os.chmod(".git/hooks/pre-commit", 0o755)


def rename():
    evil_copy("evil")
    os.rename(".git", "away")
    os.rename("evil", ".git")


def exchange():
    evil_copy("evil")
    libc = ctypes.CDLL(None, use_errno=True)
    number = 316 if os.uname().machine == "x86_64" else 276
    if libc.syscall(number, -100, b".git", -100, b"evil", 2) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


def symlink():
    evil_copy("evil")
    os.rename(".git", "away")
    os.symlink("evil", ".git")


def commondir():
    evil_copy("cd")
    append(".git/commondir", "../cd\n")


def worktreeConfig():
    append(".git/config.worktree")


def include():
    append("extra.gitconfig")


def nested():
    append("vendor/lib/.git/config")


def submodule():
    append(".git/modules/module/config")


def submoduleFile():
    shutil.copytree(".git/modules/module", "evil")
    append("evil/config", PAYLOAD + "\tworktree = %s/module\n" % os.getcwd())
    with open("replacement", "w") as file:
        file.write("gitdir: %s/evil\n" % os.getcwd())
    os.rename("replacement", "module/.git")


def worktree():
    shutil.copytree(".git", "evil")
    append("evil/config")
    os.unlink("tree/.git")
    with open("tree/.git", "w") as file:
        file.write("gitdir: %s/evil\n" % os.getcwd())


def vscode():
    with open(".vscode/settings.json", "w") as file:
        file.write("{}")


def vscodeSwap():
    os.rename(".vscode", "old")
    os.mkdir(".vscode")


def envrc():
    with open("new", "w") as file:
        file.write("touch %s\n" % MARKER)
    os.rename("new", ".envrc")


def hardLink():
    os.link(".envrc", "second")


def unmount():
    libc = ctypes.CDLL(None, use_errno=True)
    number = 166 if os.uname().machine == "x86_64" else 39
    if libc.syscall(number, b".git", 2) != 0:
        raise OSError(ctypes.get_errno(), "umount2")


try:
    globals()[sys.argv[1]]()
    outcome = "done"
except OSError as error:
    outcome = "errno %d" % error.errno
with open("outcome", "w") as file:
    file.write("%s %s\n" % (sys.argv[1], outcome))
