//! The table of programs.
//!
//! The facts come from POSIX.1-2024 (Shell and Utilities), the manual pages of GNU, BSD, util-linux and of each tool itself, and from
//! GTFOBins, whose functions "shell", "command", "file-write" and "sudo" name the options that run or write something. An unlisted program
//! is asked about.

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program {
    /// The names, separated by blanks.
    pub(super) names: &'static str,
    /// The harmless use.
    pub(super) kind: Kind,
    /// The options that run other programs, or change protected things.
    pub(super) refused: &'static str,
    /// The options whose harm depends on more than the command.
    pub(super) asked: &'static str,
    /// The options that are followed by a value.
    pub(super) valued: &'static str,
}

/// A kind of program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Reads and prints.
    Reads,
    /// Creates and changes the files that its operands name.
    Writes,
    /// Builds or tests the project in the folder, which runs the project's own code.
    Builds,
    /// Harmless with the listed subcommands, separated by semicolons. `builds` is true if they run the project's own code.
    Verbs { pass: &'static str, builds: bool },
    /// Runs the command after its own options and operands.
    Wrapper { flags: &'static str, operands: usize },
    /// Runs a script in a file, or with `-c` in an argument.
    Shell,
    /// Runs a program in a file, or in the argument of the listed options.
    Interpreter { inline: &'static str, modules: &'static str },
    /// Has its own judging function.
    Special(Special),
    /// Reaches the network.
    Network,
    /// Does harm, whatever its arguments.
    Harms(&'static str),
    /// May do harm, whatever its arguments.
    Doubtful,
}

/// A program with its own judging function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Awk,
    Chmod,
    Crontab,
    Dd,
    Declare,
    Env,
    Eval,
    Fetch,
    Find,
    Git,
    Kill,
    Remove,
    Sed,
    Tar,
    Trap,
}

const fn row(names: &'static str, kind: Kind) -> Program {
    Program { names, kind, refused: "", asked: "", valued: "" }
}

impl Program {
    const fn refused(self, refused: &'static str) -> Self {
        Self { refused, ..self }
    }

    const fn asked(self, asked: &'static str) -> Self {
        Self { asked, ..self }
    }

    const fn valued(self, valued: &'static str) -> Self {
        Self { valued, ..self }
    }

    /// Returns the row of a program.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        PROGRAMS.iter().find(|row| row.names.split_ascii_whitespace().any(|other| other == name))
    }

    /// Returns whether the program's long options begin with one dash.
    pub(super) fn has_exact_options(&self) -> bool {
        ["find", "go", "rspec", "gcc", "java", "terraform", "cmake"]
            .iter()
            .any(|name| self.names.split(' ').any(|own| own == *name))
    }
}

/// Describes a harmless use with subcommands.
const fn verbs(pass: &'static str) -> Kind {
    Kind::Verbs { pass, builds: false }
}

/// Describes the subcommands that run the project's own code.
const fn builds(pass: &'static str) -> Kind {
    Kind::Verbs { pass, builds: true }
}

const fn wrapper(flags: &'static str, operands: usize) -> Kind {
    Kind::Wrapper { flags, operands }
}

const PROGRAMS: &[Program] = &[
    // Builtins of shells.
    row("echo true false : pwd test [ expr type times wait getopts break continue return exit shift read cd pushd popd dirs set shopt unset unalias", Kind::Reads),
    row("jobs", Kind::Reads).refused("-x"),
    row("printf", Kind::Reads).asked("-v"),
    row("history", Kind::Reads).asked("-c -d -a -n -r -w -p -s"),
    row("export declare readonly typeset local", Kind::Special(Special::Declare)),
    row("eval", Kind::Special(Special::Eval)),
    row("trap", Kind::Special(Special::Trap)),
    row("source .", Kind::Shell),
    row("exec", wrapper("-c -l", 0)).valued("-a"),
    row("command", wrapper("-p -v -V", 0)),
    row("builtin", wrapper("", 0)),
    row("enable", Kind::Harms("a library that is loaded")),
    row("alias complete compgen mapfile readarray let ulimit umask bind hash", Kind::Doubtful),
    // Text and files, read.
    row("cat tac head tail wc nl rev cut paste tr fold fmt expand unexpand column comm join basename dirname realpath readlink stat du df cmp diff md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum md5 shasum od hexdump hd strings base64 base32 basenc jq seq sleep yes nproc tsort ptx numfmt factor pr look zcat bzcat xzcat zstdcat zless zipinfo tput clear reset cal ncal bc locale getconf", Kind::Reads),
    row("cloc", Kind::Reads).asked("--out --report-file --report_file --write-lang-def --config --diff-list-file --extract-with --found --ignored --counted --categorized --unicode --lang-no-ext"),
    row("diff3", Kind::Reads).refused("--diff-program"),
    row("iconv", Kind::Reads).asked("-o --output"),
    row("grep egrep fgrep zgrep bzgrep ls dir vdir eza exa lsd tokei wdiff colordiff file printenv", Kind::Reads),
    row("pygmentize", Kind::Reads).asked("-x -o"),
    row("rg", Kind::Reads).refused("--pre --hostname-bin").asked("--search-zip"),
    row("ag ack", Kind::Reads).refused("--pager"),
    row("bat batcat delta", Kind::Reads).refused("--pager"),
    row("fd fdfind", Kind::Reads).refused("-x -X --exec --exec-batch"),
    row("tree", Kind::Reads).asked("-o"),
    row("sort", Kind::Reads).refused("--compress-program").asked("-o --output"),
    row("shuf", Kind::Reads).asked("-o --output"),
    row("less more most", Kind::Reads).refused("-k --lesskey-file --lesskey-src --lesskey-content").asked("-o -O --log-file --LOG-FILE"),
    row("man info", Kind::Reads).refused("-P --pager -H --html -C --config-file").asked("--output --dribble"),
    row("uniq xxd", Kind::Writes),
    row("yq xq xmllint tomlq dasel", Kind::Reads).asked("-i --inplace --in-place --output -o --shell --noent"),
    row("unzip", Kind::Reads).asked("-:"),
    row("which whereis whatis apropos help locate", Kind::Reads),
    // The system, read.
    row("date", Kind::Reads).asked("--set"),
    row("hostname", verbs("")).valued(""),
    row("uname arch free uptime who w whoami id groups users last lscpu lsblk lsusb lspci lsmod lsof lsattr ps pgrep pstree top htop vmstat iostat mpstat netstat tty logname sw_vers", Kind::Reads),
    row("ifconfig", verbs("")),
    row("ss", Kind::Reads).asked("-K --kill -D --diag"),
    row("ip", verbs("a.;addr.;address.;r.;route.;link.;neigh.;a show;addr show;address show;route show;route get;link show;neigh show;rule show")),
    row("dmesg", Kind::Reads).asked("-C --clear -c --read-clear -D -E"),
    row("journalctl", Kind::Reads).asked("--vacuum-size --vacuum-time --vacuum-files --rotate --flush --relinquish-var --smart-relinquish-var --sync --setup-keys --update-catalog"),
    row("systemctl", verbs("status;list-units;list-unit-files;is-active;is-enabled;is-failed;show;cat;list-timers;--version")).asked("-H -M --host --machine --root"),
    row("finger http https xh aria2c", Kind::Network),
    row("dig nslookup host ping ping6 traceroute tracepath whois", Kind::Network).asked("-f -p"),
    // Files, changed.
    row("install", Kind::Writes).asked("-m -o -g --mode --owner --group --strip-program"),
    row("split", Kind::Writes).refused("--filter"),
    row("touch mkdir rmdir mktemp cp mv ln truncate csplit dos2unix unix2dos tee", Kind::Writes),
    row("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress", Kind::Writes),
    row("zip", Kind::Writes).refused("-TT --unzip-command").asked("-T --test"),
    row("patch", Kind::Writes).asked("-e --ed"),
    row("rsync", Kind::Writes).refused("--rsync-path").asked("-e --rsh --delete --delete-after --delete-before --delete-during --delete-excluded --del --force --remove-source-files --remove-sent-files --daemon --config --log-file"),
    row("rm unlink", Kind::Special(Special::Remove)),
    row("chmod chown chgrp chattr setfacl", Kind::Special(Special::Chmod)),
    row("dd", Kind::Special(Special::Dd)),
    row("tar bsdtar gtar", Kind::Special(Special::Tar))
        .refused("--checkpoint-action --to-command --info-script --new-volume-script --rsh-command --rmt-command")
        .asked("-I --use-compress-program -F -P --absolute-names --remove-files --transform --xform --index-file --listed-incremental --volno-file -g -T --files-from"),
    row("cpio ar mkfifo mknod", Kind::Doubtful),
    row("find gfind", Kind::Special(Special::Find)),
    row("sed gsed", Kind::Special(Special::Sed)),
    row("awk gawk mawk nawk", Kind::Special(Special::Awk)),
    row("perl", Kind::Interpreter { inline: "-e -E -n -p -i", modules: "" }).valued("-I"),
    // Programs that run others.
    row("env", Kind::Special(Special::Env)),
    row("xargs gxargs", wrapper("-0 -r -t -p -x -o -i --replace --null --no-run-if-empty --verbose -rn1 -0n1 -r0 -0r", 0))
        .valued("-n -I -P -L -d -E -s -a --max-args --max-procs --delimiter --max-lines --arg-file"),
    row("nohup setsid time", wrapper("-p -v -f -w -c", 0)),
    row("nice ionice chrt", wrapper("-t", 0)).valued("-n -c -p --adjustment"),
    row("timeout gtimeout", wrapper("--foreground --preserve-status -v --verbose", 1)).valued("-k -s --kill-after --signal"),
    row("stdbuf", wrapper("", 0)).valued("-i -o -e --input --output --error"),
    row("taskset", wrapper("-c", 1)),
    row("busybox toybox", wrapper("--list --help", 0)),
    row("uv poetry pipenv pdm hatch rye bundle", builds("run;sync;lock;install;check;show;exec;--version;tree;version;venv")),
    row("watch parallel flock strace ltrace gdb lldb script screen tmux entr expect ssh-agent dbus-run-session xvfb-run", Kind::Doubtful),
    row("sh bash zsh dash ash ksh mksh csh tcsh fish rbash", Kind::Shell),
    row("python pypy", Kind::Interpreter {
        inline: "-c",
        modules: "pytest unittest venv json.tool py_compile compileall mypy ruff black flake8 isort pylint coverage doctest tabnanny cProfile pip build ensurepip sysconfig site this platform",
    }).valued("-W -X"),
    row("node nodejs", Kind::Interpreter { inline: "-e -p --eval --print -r --require --import --loader -c", modules: "" }),
    row("ruby", Kind::Interpreter { inline: "-e -r -n -p", modules: "" }).valued("-I -E -X -C"),
    row("php", Kind::Interpreter { inline: "-r -B -R -E -F -S -a -d", modules: "" }),
    row("lua luajit", Kind::Interpreter { inline: "-e -l", modules: "" }),
    row("Rscript", Kind::Interpreter { inline: "-e", modules: "" }),
    row("osascript tclsh wish jshell irb ipython ghci sqlite3 psql mysql mongosh redis-cli", Kind::Doubtful),
    // Versions and projects.
    row("git", Kind::Special(Special::Git)),
    row("gh", verbs("pr list;pr view;pr diff;pr status;pr checks;issue list;issue view;issue status;repo view;repo list;run list;run view;release list;release view;auth status;search;status;label list;workflow list;workflow view;--version"))
        .valued("-R --repo").asked("-t --show-token"),
    row("cargo", builds("build;b;check;c;test;t;run;r;clippy;fmt;doc;bench;tree;metadata;new;init;add;remove;update;search;fetch;clean;fix;nextest;deny;audit;expand;info;vendor;verify-project;version;--version;-V;--list;help;outdated;machete;llvm-cov;xtask"))
        .asked("--config").valued("--manifest-path -C --color"),
    row("rustc rustfmt rustdoc", Kind::Builds).asked("-C --codegen -Z --runtool --test-runtool --test-builder"),
    row("rustup", verbs("show;toolchain list;target list;component list;--version;check;which;doc")),
    row("npm pnpm yarn bun", builds("run;run-script;test;t;start;build;ci;lint;ls;list;ll;view;pkg get;info;outdated;audit;why;explain;dev;format;typecheck;version;--version;-v;help;root;bin;prefix;pack;fund;doctor;ping;search;check;tsc;eslint;jest;vitest;prettier;workspaces info;workspaces list;workspaces run;licenses"))
        .asked("--registry --userconfig --globalconfig --global -g --location --browser --viewer --git --cafile --https-proxy --strict-ssl --pack-destination --config --pnpmfile --global-pnpmfile --use-yarnrc --preload --modules-folder --shell-emulator")
        .valued("--prefix -C --cwd --filter -F --dir -w --workspace").refused("--script-shell --node-options --scripts-prepend-node-path --shell"),
    row("npx bunx pnpx", builds("tsc;eslint;prettier;jest;vitest;mocha;playwright;webpack;vite;rollup;esbuild;stylelint;markdownlint;cypress;next;turbo;nx;knip;depcheck;biome;oxlint;svelte-check;vue-tsc;tsup;prisma generate;prisma validate;prisma format;--version"))
        .asked("--call -c --package -p --shell --node-options --script-shell"),
    row("deno", builds("fmt;lint;check;test;info;doc;--version")),
    row("go", builds("build;test;run;vet;fmt;mod tidy;mod download;mod graph;mod why;mod verify;mod init;mod vendor;list;env;version;doc;tool cover;help;clean"))
        .refused("-exec -toolexec -vettool").asked("-w -overlay"),
    row("pip pip3", verbs("list;show;freeze;check;--version;-V;help;debug;index;inspect"))
        .asked("--python -i --index-url --extra-index-url --trusted-host --proxy --log --find-links --cert --client-cert --cache-dir"),
    row("gem", verbs("list;info;search;--version;environment;outdated")).asked("--source -s --clear-sources --config-file --http-proxy -p"),
    row("composer", builds("show;validate;dump-autoload;--version;outdated;install;test;diagnose;licenses")),
    row("make gmake", Kind::Builds).refused("--eval").asked("-E -f --file --makefile").valued("-C -j"),
    row("ninja meson gradle mvn ant sbt", Kind::Builds).asked("--init-script -I"),
    row("bazel", Kind::Builds).asked("--run_under --bazelrc"),
    row("rake", Kind::Builds).asked("-e -E -p -r -I --execute --execute-print --execute-continue --require"),
    row("just", Kind::Builds).asked("-c --command --shell --chooser"),
    row("gradlew mvnw configure", Kind::Builds),
    row("cmake", Kind::Builds).asked("-E -P -C --toolchain --preset"),
    row("ctest cpack", Kind::Builds).asked("-S -P --script --script-new-process --test-command --build-and-test --config"),
    row("gcc g++ cc c++ clang clang++ ld as", Kind::Builds).refused("-wrapper -fplugin").asked("-B -specs -Xclang -load --dynamic-linker -plugin --plugin -fpass-plugin --ld-path -mllvm -iplugindir"),
    row("javac", Kind::Builds).asked("-J -processor -processorpath --processor-path"),
    row("tsc eslint prettier jest vitest mocha stylelint webpack vite rollup esbuild biome oxlint playwright cypress next turbo nx", Kind::Builds)
        .asked("--resolve-plugins-relative-to --rulesdir --globalSetup --plugin"),
    row("pytest py.test ruff black flake8 isort bandit coverage pre-commit", Kind::Builds).asked("--rootdir --pdbcls --override-ini"),
    row("pylint", Kind::Builds).refused("--init-hook").asked("--load-plugins"),
    row("mypy pyright", Kind::Builds).asked("--python-executable --pythonpath --install-types"),
    row("tox nox", Kind::Builds).asked("-x --override"),
    row("actionlint", Kind::Builds).asked("-shellcheck -pyflakes"),
    row("clang-tidy", Kind::Builds).asked("-load --load"),
    row("rspec rubocop phpunit phpstan shellcheck shfmt hadolint yamllint markdownlint golangci-lint gofmt staticcheck clang-format ktlint swiftlint terraform-docs tflint", Kind::Builds)
        .asked("-r --require --bootstrap --autoload-file --rules --ruleset --plugin"),
    row("dotnet", builds("build;test;restore;list;--version;--info;--list-sdks;format;run;clean")),
    row("swift", builds("build;test;package;--version")).asked("-Xlinker -Xcc -Xswiftc -Xmanifest"),
    row("flutter dart", builds("analyze;test;format;doctor;--version;pub get")),
    row("docker podman nerdctl", verbs("ps;images;logs;inspect;version;info;compose ps;compose logs;compose config;container ls;image ls;network ls;volume ls;stats;top;port;history;diff;--version;context ls;system df;search"))
        .valued("--context -H --host -f --file").asked("-H --host --config --context --url --runtime -o --output --environment --tls --connection --connect"),
    row("docker-compose", verbs("ps;logs;config;version;--version;top;images")).valued("-f --file"),
    row("kubectl oc", verbs("get pods;get pod;get po;get svc;get services;get service;get deployments;get deployment;get deploy;get nodes;get node;get events;get ns;get namespaces;get all;get ingress;get pvc;get pv;get jobs;get cronjobs;get rs;get sts;get statefulsets;get daemonsets;get ds;get hpa;get crd;get configmaps;get endpoints;describe pod;describe pods;describe deployment;describe node;describe svc;describe service;describe ingress;logs;top;version;explain;api-resources;api-versions;cluster-info;config current-context;config get-contexts;rollout status;rollout history"))
        .valued("-n --namespace --context -l --selector -o --output").asked("--kubeconfig --token --server -s --insecure-skip-tls-verify --profile-output --output-directory --as --username --password --certificate-authority"),
    row("helm", verbs("list;ls;status;history;lint;template;version;search;show;get notes;repo list")).refused("--post-renderer").asked("--kubeconfig --kube-apiserver --kube-insecure-skip-tls-verify --repo --kube-token --kube-ca-file --registry-config --repository-config --plugins"),
    row("terraform tofu", verbs("fmt;validate;version;providers;state list;workspace list;workspace show;graph;--version")).asked("-chdir -fs-mirror -net-mirror"),
    row("aws", verbs("--version;sts get-caller-identity;s3 ls;ec2 describe-instances;configure list")).asked("--endpoint-url --no-verify-ssl --ca-bundle --no-sign-request"),
    row("brew", verbs("list;info;search;--version;outdated;deps;config;doctor")),
    row("apt apt-cache", verbs("list;show;search;policy;depends;rdepends;--version")).asked("-o --option -c --config-file"),
    row("dpkg", Kind::Reads).asked("-i --install -r --remove -P --purge --unpack --configure --pre-invoke --root --admindir -x -X"),
    row("rpm", Kind::Reads).asked("-i -U -F -e --install --upgrade --erase --eval -E --pipe --define --load --macros --rcfile --root --dbpath"),
    row("openssl", verbs("version;dgst;x509;rand;ciphers")).asked("-out -CAserial -CAcreateserial -engine -writerand -provider -provider-path -config"),
    // The network.
    row("curl wget", Kind::Special(Special::Fetch)),
    row("ssh scp sftp ftp telnet nc ncat netcat socat nmap rclone ngrok tftp lynx w3m links", Kind::Network),
    // Processes, users and the system.
    row("kill killall pkill", Kind::Special(Special::Kill)),
    row("crontab", Kind::Special(Special::Crontab)),
    row("sudo su doas pkexec runas gosu sg newgrp runuser setpriv", Kind::Harms("a change of user")),
    row("shutdown reboot halt poweroff init telinit", Kind::Harms("a system shutdown")),
    row("wipefs shred fdisk sfdisk gdisk parted mkswap swapoff swapon losetup cryptsetup diskutil hdparm badblocks blkdiscard dmsetup lvremove vgremove pvremove mdadm", Kind::Harms("a disk command")),
    row("chroot unshare nsenter pivot_root switch_root insmod modprobe rmmod kexec setcap capsh setenforce auditctl bpftrace systemd-run systemd-nspawn at batch chsh chfn passwd chpasswd usermod useradd userdel groupadd adduser deluser visudo vipw update-alternatives dpkg-reconfigure launchctl schtasks reg", Kind::Harms("a change of the system")),
    row("cmd powershell pwsh wscript cscript mshta rundll32 regsvr32 certutil bitsadmin", Kind::Harms("a shell of Windows")),
    row("mount umount sysctl iptables ip6tables nft ufw firewall-cmd ldconfig", Kind::Doubtful),
    row("vi vim nvim nano emacs ed ex pico view rvim", Kind::Doubtful),
];
