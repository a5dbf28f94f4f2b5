//! The names of Bash: its own commands, and the programs of POSIX, GNU and common packages, by their manuals.
//!
//! A colon precedes an option of a program, a dollar precedes a variable.

use super::table::{Policy, Special, Table};
use crate::code_safety::capability::Capability as C;
use std::sync::LazyLock;

/// The policy of Bash.
pub(in crate::code_safety) static BASH: LazyLock<Policy> = Policy::of(|| Policy::new(&TABLE));

const TABLE: Table = Table {
    names: &[
        (
            C::Eval,
            "eval bind coproc ed ex vi vim view nvim emacs m4 dc expect busybox toybox at batch crontab script rlwrap \
             bash:-c bash:-s bash:-i bash:--rcfile bash:--init-file sh:-c sh:-s sh:-i dash:-c dash:-s zsh:-c zsh:-s ksh:-c ksh:-s \
             fish:-c rbash:-c python:-c python2:-c python3:-c python:-i python3:-i perl:-e perl:-E perl:-n perl:-p perl:-i \
             ruby:-e ruby:-n ruby:-p node:-e node:-p node:--eval node:--print node:-r node:--require nodejs:-e php:-r php:-R lua:-e \
             Rscript:-e osascript:-e tclsh:-c deno:eval bun:-e sort:--compress-program tar:--to-command \
             tar:--checkpoint-action tar:-I tar:--use-compress-program tar:-F tar:--info-script tar:--rsh-command env:-S \
             env:--split-string mapfile:-C readarray:-C awk:--source gawk:--source awk:-f awk:--file awk:-l awk:--load awk:-i awk:--include awk:-E awk:--exec \
             gawk:-f gawk:--file gawk:-l gawk:--load gawk:-i gawk:--include gawk:-E gawk:--exec mawk:-f sed:-f sed:--file \
             git:-c git:--exec-path git:--upload-pack git:--receive-pack find:-ok find:-okdir man:-P man:--pager   \
             scp:-S    zip:-TT zip:--unzip-command wget:--use-askpass curl:-K curl:--config \
             make:--eval   $BASH_ENV  $PROMPT_COMMAND      $BASH_FUNC* $LD_* $DYLD_* $GCONV_PATH \
             $PYTHONSTARTUP  $PYTHONHOME $PYTHONINSPECT $PERL5* $PERLLIB $RUBYOPT $RUBYLIB   \
              $SHELLOPTS $BASHOPTS $LESSOPEN $LESSCLOSE $MANPAGER $FPATH $JAVA_TOOL_OPTIONS $TAR_OPTIONS $BASH_CMDS $BASH_ALIASES \
             $BASH_LOADABLES_PATH $RSYNC_RSH $CVS_RSH $SSH_ASKPASS $SUDO_ASKPASS $INPUTRC \
             flock:-c flock:--command split:--filter install:--strip-program cpio:--rsh-command hyperfine tar:--rmt-command node:--import \
             node:--loader node:--experimental-loader php:--run php:-B php:-E julia:-e julia:-E julia:--eval julia:--print guile:-c \
             racket:-e groovy:-e scala:-e kotlin:-e swift:-e ghci:-e irb:-e ipython:-c luajit:-e pypy:-c pypy3:-c csh:-c tcsh:-c \
             mksh:-c ash:-c fish:-C fish:--command fish:--init-command zsh:-i ksh:-i",
        ),
        (
            C::Process,
            "sudo su doas pkexec runas gosu chroot unshare nsenter setpriv capsh killall pkill  shutdown reboot halt poweroff \
             init telinit   launchctl rc-service systemd-run docker podman nerdctl ctr  lxc lxc-attach qemu \
               mount umount losetup iptables ip6tables nft ufw sysctl passwd chpasswd useradd userdel usermod groupadd \
             groupdel adduser deluser visudo vipw chsh chfn newgrp sg  xdotool xterm gnome-terminal osascript powershell pwsh \
             cmd cmd.exe powershell.exe wsl runuser start-stop-daemon daemonize setcap swapoff swapon update-alternatives",
        ),
        (
            C::Native,
            "enable gdb lldb strace ltrace perf bpftrace insmod modprobe rmmod kexec ldconfig ld.so ptrace openssl:-engine \
             openssl:engine",
        ),
        (C::Socket, "nc ncat netcat socat telnet nmap cryptcat chisel ngrok tcpdump wireshark"),
        (
            C::DeleteTree,
            "mkfs* newfs* fdisk sfdisk gdisk parted wipefs shred mkswap blkdiscard hdparm dmsetup cryptsetup lvremove vgremove \
             pvremove mdadm badblocks    srm rimraf",
        ),
        (
            C::Introspection,
            "alias unalias compgen complete fc history hash caller printf:-v wait:-p declare:-n declare:-i local:-n local:-i \
             typeset:-n typeset:-i readonly:-n declare:-f export:-f export:-n unset:-f unset:-n shopt trap:-p set:-k",
        ),
        (
            C::Runtime,
            "$PS* $ENV $PYTHONPATH $NODE_OPTIONS $NODE_PATH $GIT_* $LD_LIBRARY_PATH ssh:-o scp:-o sftp:-o rsync:-e rsync:--rsh systemctl \
             service loginctl screen tmux kubectl watch parallel kill disown nohup setsid make cmake ninja gcc cc clang g++ cargo rustc go javac java npm npx pnpm yarn pip pip3 pipx \
             uv uvx gem bundle apt apt-get dpkg rpm yum dnf apk brew snap flatpak conda poetry python:-m python3:-m date:-s date:--set \
             ulimit renice ionice taskset chrt stty setterm dmesg logger wall write mesg suspend tput:init $PATH $HOME $SHELL \
             $EDITOR $VISUAL $PAGER $TMPDIR $BROWSER $POSIXLY_CORRECT $TERMINFO $HOSTALIASES $RES_OPTIONS $LOCPATH $NLSPATH \
             $CDPATH $GLOBIGNORE $EXECIGNORE $BASH_XTRACEFD $HISTFILE $LESS $MAKEFLAGS $MAILPATH $SSH_AUTH_SOCK $CC $CXX",
        ),
        (
            C::Network,
            "curl wget http https aria2c xh ssh scp sftp ftp tftp rsync ping ping6 dig host nslookup whois traceroute tracepath mtr \
             ip ifconfig route arp ss netstat nmcli lynx w3m links aws gcloud az gh glab hub mail mailx sendmail mutt msmtp svn hg \
             git:clone git:fetch git:pull git:push mysql psql mongo mongosh redis-cli sqlcmd rclone s3cmd",
        ),
        (C::Delete, "rm rmdir unlink find:-delete git:clean trash"),
        (
            C::WriteAnywhere,
            "ln chmod chown chgrp chattr setfacl mknod mkfifo mktemp dd patch split csplit install tar unzip zip gzip gunzip bzip2 \
             bunzip2 xz unxz zstd unzstd 7z cpio ar sqlite3 xxd tree:-o sort:-o sort:--output sort:-T \
             sort:--temporary-directory shuf:-o shuf:--output find:-fprint find:-fprintf find:-fls find:-fprint0 file:-C file:--compile \
             curl:-o curl:-O curl:--output curl:--remote-name wget:-O awk:-o awk:-p awk:-d awk:--dump-variables \
             awk:--profile awk:--pretty-print gawk:-o gawk:-p gawk:-d gawk:--dump-variables gawk:--profile gawk:--pretty-print",
        ),
        (C::Write, "sed:-i sed:--in-place"),
    ],
    members: &[],
    plain_members: "",
    specials: &[
        (
            Special::Wrapper,
            "command builtin exec env nohup setsid time nice ionice timeout stdbuf xargs chronic unbuffer taskset chrt sudo doas watch \
             parallel gosu jobs sem flock setarch linux32 linux64 prlimit choom numactl faketime eatmydata proxychains proxychains4 \
             torsocks fakeroot xvfb-run dbus-run-session ssh-agent sshpass cpulimit uclampset genv gxargs gnice gtimeout gstdbuf \
             catchsegv firejail bwrap tsp winpty",
        ),
        (
            Special::Interpreter,
            "bash sh dash zsh ksh mksh ash fish rbash csh tcsh python python2 python3 pypy pypy3 perl ruby node nodejs deno bun php lua \
             luajit tclsh wish Rscript osascript guile racket julia groovy scala kotlin swift ghci irb ipython",
        ),
        (Special::Import, "source ."),
        (Special::Trap, "trap"),
        (Special::Find, "find"),
        (Special::Awk, "awk gawk mawk nawk"),
        (Special::Sed, "sed gsed"),
        (Special::WriteFile, "tee touch mkdir cp mv truncate"),
        (Special::Output, "uniq"),
        (Special::Remove, "rm"),
        (Special::ChangeFolder, "cd pushd popd"),
        (Special::Names, "read readarray mapfile getopts unset declare local typeset readonly export let"),
        (
            Special::Number,
            "# ? $ ! RANDOM SECONDS LINENO UID EUID PPID BASHPID COLUMNS LINES EPOCHSECONDS SRANDOM BASH_SUBSHELL SHLVL OPTIND",
        ),
    ],
    builtins: "",
    modules: "",
    allowed: ": true false echo printf read readarray mapfile getopts unset declare local typeset readonly export let test [ cd pushd \
        popd pwd dirs shift return exit break continue set type times wait jobs command builtin exec env time nice timeout stdbuf xargs \
        umask trap cat tac rev head tail cut paste join comm tr wc nl fold fmt column expand unexpand sort shuf uniq seq factor expr \
        numfmt tsort grep egrep fgrep sed awk gawk mawk find ls stat file basename dirname realpath readlink du df date cal sleep yes \
        md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32 od hexdump strings cmp diff tee touch mkdir \
        cp mv truncate jq uname whoami id groups hostname nproc arch uptime getconf locale which printenv tput",
    replacements: &[],
};
