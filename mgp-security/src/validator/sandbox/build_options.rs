//! The options of programs that build or test a project that only select the targets or the output.
//!
//! The facts come from the manual of each program. An option that is not listed is asked about: it may name a file to write, a module to
//! load or a program to run.

/// A row of the table.
struct Row {
    /// The names of programs, separated by blanks.
    names: &'static str,
    /// The options, separated by blanks. One that ends in `=` takes a value, attached or as the next word. One that ends in `*` includes
    /// all options with that prefix.
    options: &'static str,
}

const fn row(names: &'static str, options: &'static str) -> Row {
    Row { names, options }
}

/// Options that mean the same everywhere.
const COMMON: &str = "--help -h --version -V --verbose -v -vv --quiet -q --color= --no-color --";

const ROWS: &[Row] = &[
    row(
        "pytest py.test",
        "-x -s -l -k= -m= -n= --lf --ff --sw --stepwise --last-failed --failed-first --nf --new-first --tb= -r* --maxfail= --exitfirst --durations= --durations-min= --cov --cov= --cov-report= --cov-fail-under= --cov-branch --no-cov --cov-append --collect-only --co --no-header --no-summary --junitxml= --junit-xml= --ignore= --ignore-glob= --deselect= --strict-markers --strict-config --strict --capture= --showlocals --full-trace --disable-warnings --disable-pytest-warnings --cache-clear --cache-show --markers --fixtures --setup-show --setup-only --setup-plan --timeout= --reruns= --import-mode= --runslow --benchmark-only --benchmark-skip --asyncio-mode= --numprocesses= --dist= --forked --random-order --randomly-seed= -p= -W= --create-db --reuse-db --keepdb --doctest-modules --hypothesis-seed= --hypothesis-show-statistics --snapshot-update --update-snapshots -xvs -xvv -vvv -sv -vs -vx -xv -xq -qx -sx -xs -svv -vvs -q -qq",
    ),
    row(
        "unittest",
        "-k= -f --failfast -b --buffer -c --catch -s= --start-directory= -p= --pattern= -t= --top-level-directory= --locals",
    ),
    row(
        "coverage",
        "-m -a --append --branch -p --parallel-mode --source= --include= --omit= --skip-covered --skip-empty --show-missing --fail-under= --sort= --precision= -i --ignore-errors -d= --directory= --title= -o= --pretty-print --keep --format=",
    ),
    row(
        "black",
        "--check --diff -l= --line-length= -t= --target-version= --fast --safe -S --skip-string-normalization --preview --include= --exclude= --extend-exclude= --force-exclude= -c= --code= -C --skip-magic-trailing-comma -W= --workers=",
    ),
    row(
        "ruff",
        "--fix --check --diff --select= --ignore= --extend-select= --extend-ignore= --output-format= --unsafe-fixes --no-fix --show-fixes --show-files --show-settings --watch --statistics --line-length= --target-version= --preview --no-cache -n -e --exit-zero --exit-non-zero-on-fix --add-noqa --exclude= --extend-exclude= --fixable= --isolated",
    ),
    row(
        "isort",
        "-c --check --check-only -d --diff --profile= -l= --line-length= --atomic -rc -m= --sl --fss --float-to-top --skip= --skip-glob= --sg= --src= --py= -w=",
    ),
    row(
        "flake8",
        "--count --max-line-length= --max-complexity= --statistics --select= --ignore= --extend-ignore= --extend-select= --exclude= --extend-exclude= --show-source --per-file-ignores= --exit-zero --format= --doctests -j= --jobs= --benchmark",
    ),
    row(
        "mypy",
        "--strict --ignore-missing-imports --no-error-summary --show-error-codes --pretty --no-incremental --python-version= --platform= -p= --package= -m= --module= --exclude= --check-untyped-defs --disallow-* --warn-* --no-* --allow-* --implicit-* --follow-imports= --namespace-packages --explicit-package-bases --show-* --hide-* --disable-error-code= --enable-error-code= --sqlite-cache",
    ),
    row(
        "pyright",
        "-p= --project= --outputjson --pythonversion= --pythonplatform= --level= --stats --skipunannotated --warnings -w --watch --lib --dependencies --verifytypes= --threads=",
    ),
    row(
        "pylint",
        "--disable= --enable= -d= -e= -E --errors-only -j= --jobs= --score= -s= --reports= -r= --fail-under= --max-line-length= --py-version= --ignore= --ignore-patterns= --ignore-paths= --recursive= --msg-template= --list-msgs --generated-members= --exit-zero",
    ),
    row(
        "bandit",
        "-r --recursive -l -ll -lll -i -ii -iii -x= --exclude= -s= --skip= -t= --tests= -n= --severity-level= --confidence-level= --exit-zero -a=",
    ),
    row(
        "tox",
        "-e= -r --recreate -p= --parallel= -l --listenvs -a -av -q -vv --notest --skip-missing-interpreters -s= -f= --",
    ),
    row(
        "nox",
        "-s= --session= --sessions= -l --list -r -R --reuse-existing-virtualenvs --no-install -k= -p= --python= -t= --tags= --stop-on-first-error --",
    ),
    row(
        "pre-commit",
        "-a --all-files --files= --from-ref= --to-ref= --hook-stage= --show-diff-on-failure -s= -o=",
    ),
    row(
        "eslint",
        "--fix --fix-dry-run --ext= --max-warnings= --quiet --cache --no-cache --no-error-on-unmatched-pattern --report-unused-disable-directives --ignore-pattern= --no-eslintrc --no-ignore --format= -f= --print-config= --stats --no-inline-config --rule= --env= --global= --debug --fix-type= --concurrency= --pass-on-no-patterns",
    ),
    row(
        "prettier",
        "--write --check -w -c -l --list-different --log-level= --loglevel= --ignore-unknown -u --no-config --no-error-on-unmatched-pattern --print-width= --tab-width= --use-tabs --no-semi --single-quote --trailing-comma= --prose-wrap= --parser= --end-of-line= --cache --stdin-filepath= --arrow-parens= --bracket-same-line --jsx-single-quote --quote-props=",
    ),
    row(
        "tsc vue-tsc",
        "--noEmit -p= --project= -b --build -w --watch --pretty --skipLibCheck --strict --showConfig --listFiles --listFilesOnly --incremental --target= -t= --module= -m= --moduleResolution= --lib= --jsx= --esModuleInterop --traceResolution --explainFiles --diagnostics --extendedDiagnostics --init --force -f --clean --dry -d --declaration --emitDeclarationOnly --sourceMap --allowJs --checkJs --resolveJsonModule --isolatedModules --noUnusedLocals --noUnusedParameters --noImplicitAny --outDir= --rootDir= --preserveWatchOutput --stopBuildOnErrors",
    ),
    row(
        "jest",
        "--coverage --watch --watchAll --watchAll= --watchman= --runInBand -i --bail --bail= -b --ci --verbose --silent -t= --testNamePattern= --testPathPattern= --testPathPatterns= --testPathIgnorePatterns= --findRelatedTests --onlyChanged -o --onlyFailures -f --updateSnapshot -u --passWithNoTests --maxWorkers= -w= --detectOpenHandles --forceExit --clearMocks --resetMocks --listTests --showConfig --testTimeout= --changedSince= --collectCoverageFrom= --coverageReporters= --selectProjects= --no-cache --no-coverage --shard= --randomize --seed= --json --logHeapUsage --expand --errorOnDeprecated --maxConcurrency= --noStackTrace --colors",
    ),
    row(
        "vitest",
        "--run --coverage --coverage.* --watch -w --ui -t= --testNamePattern= --bail= --reporter= -u --update --passWithNoTests --project= --changed --shard= --silent --no-file-parallelism --pool= --maxWorkers= --minWorkers= --retry= --typecheck --typecheck.* --environment= --dom --mode= --sequence.* --testTimeout= --hideSkippedTests --logHeapUsage --allowOnly --globals --no-coverage --exclude= --dir=",
    ),
    row(
        "mocha",
        "--grep= -g= --fgrep= -f= --invert -i --bail -b --timeout= -t= --slow= -s= --recursive --exit --forbid-only --forbid-pending --parallel -p --jobs= -j= --watch -w --reporter= -R= --retries= --extension= --ignore= --sort --check-leaks --full-trace --inline-diffs --spec= --dry-run --colors -c",
    ),
    row(
        "playwright",
        "--project= --headed --headless --grep= -g= --grep-invert= --workers= -j= --reporter= --retries= --timeout= --ui --debug --list --last-failed --max-failures= -x --shard= --trace= --update-snapshots -u --repeat-each= --fully-parallel --forbid-only --pass-with-no-tests --only-changed= --no-deps --quiet --with-deps --ui-port=",
    ),
    row(
        "cypress",
        "--spec= --headless --headed --browser= -b= --component --e2e --record --parallel -q --quiet --tag= --group= -s= -P=",
    ),
    row(
        "vite",
        "--host --port= --mode= -m= --open --strictPort --force --base= --sourcemap --minify= --outDir= --emptyOutDir -w --watch --debug --ssr --cors --clearScreen -l= --logLevel= --manifest --target=",
    ),
    row(
        "webpack",
        "--mode= --watch -w --progress --devtool= -d= --stats --stats= --env= --node-env= --json --analyze --no-devtool --fail-on-warnings --disable-interpret --name= --target= -t=",
    ),
    row(
        "rollup",
        "-c --watch -w --silent --sourcemap -m --environment= --format= -f= --file= -o= -d= --dir= -i= --input= -n= --name= -e= --external= --compact --no-treeshake",
    ),
    row(
        "esbuild",
        "--bundle --minify --sourcemap --sourcemap= --outfile= --outdir= --format= --platform= --target= --watch --external:* --define:* --splitting --analyze --log-level= --tree-shaking= --loader:* --jsx= --global-name= --minify-* --drop:* --main-fields= --conditions= --packages= --keep-names --charset= --legal-comments= --entry-names= --chunk-names= --out-extension:*",
    ),
    row(
        "stylelint",
        "--fix --max-warnings= --allow-empty-input --aei --quiet -q --cache --formatter= -f= --ignore-pattern= --ip= --report-needless-disables --rd --print-config=",
    ),
    row(
        "biome oxlint",
        "--write --apply --fix --unsafe --check --changed --staged --since= --diagnostic-level= --max-diagnostics= --no-errors-on-unmatched --error-on-warnings --formatter-enabled= --linter-enabled= --skip= --only= -D= -A= -W= --deny-warnings --max-warnings= --format= -f= --reporter= --colors= --use-server --deny= --allow= --import-plugin --react-plugin --quiet",
    ),
    row(
        "turbo nx",
        "--filter= -F= --force --dry --dry= --dry-run --no-cache --skip-nx-cache --all --projects= --target= -t= --targets= --parallel= --affected --base= --head= --concurrency= --continue --summarize --graph --only --output-logs= --log-order= --configuration= -c= --prod --production --verbose --exclude= --json --watch --coverage --output-style= --nxBail --skipNxCache --env-mode= --ui= --since= --uncommitted --untracked --type=",
    ),
    row(
        "next",
        "-p= --port= -H= --hostname= --turbo --turbopack --debug --profile --lint --no-lint --experimental-* --fix --strict --dir= -d=",
    ),
    row(
        "svelte-check knip depcheck tsup ava c8 nyc",
        "--tsconfig= --fail-on-warnings --threshold= --output= --watch --ignore= --ignores= --json --production --strict --include= --exclude= --no-* --format= --dts --clean --minify --sourcemap --check-coverage --reporter= --all --lines= --branches= --functions= --statements=",
    ),
    row(
        "npx bunx pnpx",
        "-y --yes --no --no-install -q --quiet --silent --ignore-existing --prefer-offline --offline --bun",
    ),
    row("prisma", "--watch --no-engine --no-hints"),
    row(
        "make gmake",
        "-j* -k -n -s -B -i -d -p -q -r -R -w -l= -C= -O -O* -W= -jN --jobs= --keep-going --dry-run --just-print --silent --always-make --ignore-errors --no-print-directory --print-directory --question --trace --warn-undefined-variables --output-sync= --directory= --no-builtin-rules --no-builtin-variables --print-data-base --debug=* -L= --load-average=",
    ),
    row(
        "cmake",
        "-S= -B= -G= -D* -U= -A= -T= -L -LA -LAH -LH -N -W* --build= --target= -t= --config= --parallel= --parallel -j= -j --clean-first --fresh --preset= --list-presets --install= --component= --strip --log-level= --debug-output --debug-find --trace --trace-expand --warn-uninitialized --no-warn-unused-cli --system-information --verbose -USE* --workflow --use-stderr",
    ),
    row(
        "ctest",
        "-R= -E= -L= -LE= -j= -j --parallel= --parallel -N --show-only -C= --build-config= --output-on-failure --rerun-failed --repeat= --repeat-until-fail= --timeout= --stop-on-failure --test-dir= -V -VV --progress --schedule-random -I= -j* --no-tests= --preset= --tests-regex= --exclude-regex= --label-regex= --output-junit= -Q --quiet --stop-time=",
    ),
    row("ninja", "-C= -j= -j* -k= -l= -n -t= -d= -w="),
    row(
        "meson",
        "-C= -D* --buildtype= -j= -j* --suite= --no-suite --reconfigure --wipe --backend= --default-library= --warnlevel= --werror --unity= --repeat= --list --num-processes= --no-rebuild --print-errorlogs --benchmark --optimization= --prefix= --strip --debug --auto-features= --clean -t= --timeout-multiplier= --setup= --maxfail= --no-stdsplit --only-changed",
    ),
    row(
        "gcc g++ cc c++ clang clang++",
        "-o= -c -S -E -g -g0 -g1 -g2 -g3 -ggdb -ggdb* -gdwarf* -w -O -O* -W -W* -f* -m* -std=* -std= -I* -L* -l* -D* -U* -x= -pthread -pedantic -pedantic-errors -ansi -shared -static -rdynamic -nostdlib -nostartfiles -s -pipe -P -C -M -MM -MD -MMD -MP -MT= -MQ= -MG -isystem= -include= -iquote= -idirafter= --coverage -p -pg -Q -H -save-temps -### -dM -dumpversion -dumpmachine -print-* --print-* --target= -target= -stdlib=* -ferror-limit=* -fcolor-diagnostics -v -arch= -framework= -no-pie -pie -Ofast -Og -Os -undef -trigraphs --sysroot= -isysroot= -r -nodefaultlibs -u= -z= -ObjC -static-libgcc -static-libstdc++",
    ),
    row(
        "ld as",
        "-o= -r -s -S -x -L* -l* -e= -T= -m= --entry= --gc-sections -shared -static -Bstatic -Bdynamic -g --gdwarf-* -march=* -mcpu=* --32 --64 -I* --build-id --build-id= -pie -z= -M --print-map -v --noexecstack -n -N -nostdlib -dynamic -arch= -lSystem -syslibroot= -macosx_version_min=",
    ),
    row(
        "clang-tidy",
        "-p= --checks= -checks= --fix -fix --fix-errors -fix-errors --quiet -quiet --header-filter= -header-filter= --warnings-as-errors= -warnings-as-errors= --list-checks -list-checks --format-style= --explain-config --dump-config --use-color --system-headers",
    ),
    row(
        "clang-format",
        "-i --dry-run -n -Werror --Werror -style= --style= --fallback-style= --assume-filename= -sort-includes --sort-includes --ferror-limit= -verbose --verbose --dump-config -dump-config --lines= -lines=",
    ),
    row(
        "rustc",
        "-O -g -o= -L= -A= -W= -D= -F= --edition= --edition --crate-type= --crate-name= --test --target= --explain --explain= --print= --cfg= --check-cfg= --error-format= --cap-lints= -v -vV --version --emit= -Copt-level=* -Cdebuginfo=* -C= -l=",
    ),
    row(
        "rustfmt rustdoc",
        "--check --edition= --emit= --backup -l --files-with-diff --print-config= --test --crate-name= --document-private-items --html-* --markdown-css= --no-default-theme",
    ),
    row(
        "cargo",
        "-p= --package= --workspace --all --all-targets --all-features --no-default-features -F= --features= --features --release -r --profile= --target= --lib --bin= --bin --bins --example= --example --examples --test= --test --tests --bench= --bench --benches --doc --exclude= --locked --offline --frozen --no-run --no-fail-fast --keep-going -j= --jobs= --message-format= --timings -q --open --no-deps --document-private-items --check --fix --allow-dirty --allow-staged --allow-no-vcs --broken-code --edition --edition-idioms --manifest-path= --color= --format-version= --depth= -e= --edges= -i= --invert= --prefix= --duplicates -d -f= --format= --dry-run -n --aggressive --precise= --recursive -w --lib --bin --vcs= --name= --dev --build --optional --rename= --no-optional --default-features --git= --branch= --tag= --rev= --registry= --limit= --list --version --test-threads= --nocapture --ignored --include-ignored --exact --skip= --show-output --test-threads --save-baseline= --baseline= -E= --partition= --run-ignored= --retries= --no-capture --status-level= --final-status-level= --failure-output= --success-output= --iters= --once --input= --to= --to --out= --json --seed= --target-dir= --lcov --html --text --summary-only --cobertura --codecov --output-path= --ignore-filename-regex= --fail-under-lines= --no-cfg-coverage -Z* --unit-graph --build-plan --ignore-rust-version --sync= --respect-source-config --versioned-dirs -D= -W= -A= -Z= --emit= --no-report --max-width=",
    ),
    row(
        "go",
        "-v -x -n -a -race -msan -asan -cover -coverprofile= -covermode= -coverpkg= -count= -run= -skip= -bench= -benchmem -benchtime= -timeout= -short -failfast -parallel= -cpu= -json -list= -shuffle= -vet= -o= -tags= -ldflags= -gcflags= -asmflags= -trimpath -mod= -buildvcs= -buildmode= -p= -i -f= -m -deps -test -u -e -find -compat= -go= -why -C= -w -X -s -func= -html= -cmd -all -src -c -cpuprofile= -memprofile= -blockprofile= -mutexprofile= -dry-run -fix -versions -retracted -modcacherw -pgo= -cache -testcache -modcache -fuzz= -fuzztime= -d -l -export -compiled -reuse= -vendor -fullpath -artifacts",
    ),
    row("gofmt", "-l -d -w -s -e -r="),
    row(
        "golangci-lint",
        "--fix --timeout= --enable= -E= --disable= -D= --enable-all --disable-all --fast --new --new-from-rev= --max-issues-per-linter= --max-same-issues= --out-format= --tests --build-tags= -j= --concurrency= --allow-parallel-runners --modules-download-mode= --sort-results --issues-exit-code= --no-config -v --skip-dirs= --presets= -p= --diff",
    ),
    row("staticcheck", "-checks= -f= -tags= -tests= -go= -explain= -show-ignored -fail="),
    row(
        "gradle gradlew",
        "--tests= --info --debug -d --stacktrace -s --full-stacktrace -S --no-daemon --daemon --offline --parallel --no-parallel --continue -x= --exclude-task= --dry-run -m --rerun-tasks --rerun --refresh-dependencies --configuration= --dependency= --scan --no-scan --console= --warn -w --warning-mode= --build-cache --no-build-cache --configuration-cache --no-configuration-cache --max-workers= --profile --status --stop --continuous -t --all --group= --args= --priority= -a --no-rebuild --types -P* --fail-fast --watch-fs --no-watch-fs --variant= --write-locks --foreground -q",
    ),
    row(
        "mvn mvnw",
        "-B --batch-mode -ntp --no-transfer-progress -q -X -e --errors -o --offline -U --update-snapshots -pl= --projects= -am --also-make -amd --also-make-dependents -DskipTests -DskipTests=* -Dtest=* -Dit.test=* -Dmaven.test.skip -Dmaven.test.skip=* -Dincludes=* -Dexcludes=* -DskipITs -DskipITs=* -DfailIfNoTests=* -Dsurefire.failIfNoSpecifiedTests=* -Dsurefire.useFile=* -Dspring.profiles.active=* -Dspring-boot.run.profiles=* -Dverbose -Dverbose=* -Dstyle.color=* -Dmaven.javadoc.skip=* -Dcheckstyle.skip -Dcheckstyle.skip=* -Dgroups=* -DexcludedGroups=* -Dmaven.wagon.* -T= -T* -P* -fae -ff -fn --fail-at-end --fail-fast --fail-never -rf= --resume-from= -N --non-recursive -nsu -C -c -V --show-version -DtrimStackTrace=* -Djacoco.skip=* -Dproject.build.sourceEncoding=* -Dfile.encoding=* -DforkCount=* -DreuseForks=* -Dmaven.compiler.source=* -Dmaven.compiler.target=* -Dmaven.compiler.release=* -Dmaven.build.cache.enabled=* -Dscope=*",
    ),
    row(
        "ant",
        "-v -verbose -q -quiet -d -debug -e -emacs -k -keep-going -p -projecthelp -diagnostics -noinput -S -silent -version -D*",
    ),
    row(
        "sbt",
        "-v -d -debug -batch -no-colors -Dsbt.color=* -Dsbt.supershell=* --batch --no-colors -client --client",
    ),
    row(
        "bazel bazelisk",
        "-k --keep_going -c= --compilation_mode= --config= --jobs= -j= --test_output= --test_filter= --verbose_failures --nocache_test_results --cache_test_results= --runs_per_test= --test_arg= --subcommands -s --noshow_progress --curses= --color= --show_result= --build_tests_only --test_tag_filters= --build_tag_filters= --output= --noimplicit_deps --notool_deps --test_timeout= --test_summary= --collect_code_coverage --combined_report= --nobuild --cpu= --platforms= --keep_state_after_build --announce_rc --flaky_test_attempts=",
    ),
    row(
        "rake",
        "-T -P -n --dry-run -t --trace -j= --jobs= -m --multitask -q -s --silent -A --all -D -W --tasks --prereqs --where -v",
    ),
    row(
        "just",
        "-l --list --summary -n --dry-run --show= -s= --evaluate --dump --fmt --check --unstable --groups --variables --yes -q -u --unsorted --no-deps --highlight --no-highlight",
    ),
    row(
        "dotnet",
        "-c= --configuration= --no-restore --no-build --filter= --logger= -l= --verbosity= -v= -f= --framework= -r= --runtime= --verify-no-changes -warnaserror --nologo -t --list-tests --blame --collect= --no-dependencies --self-contained --no-self-contained -p=* --property= -p:* /p:* --project= --severity= --diagnostics= --include= --exclude= --os= -a= --arch= --interactive --no-incremental --force --use-lock-file --locked-mode --outdated --include-transitive --vulnerable --deprecated -o= --output= --results-directory= --launch-profile= --no-launch-profile --urls= -m -maxcpucount* -bl -nodeReuse:* -tl -tl:* --tl:* -clp:* -v:* -verbosity:* --environment= -l:* -warnAsError*",
    ),
    row(
        "swift",
        "-c= --configuration= --filter= --skip= --parallel --enable-code-coverage --target= --product= --show-bin-path -j= --jobs= --build-tests --skip-build --list-tests --sanitize= --enable-test-discovery --num-workers= --xunit-output= -v --static-swift-stdlib --traits=",
    ),
    row(
        "flutter dart",
        "--coverage --name= -n= --plain-name= --tags= -t= --exclude-tags= -x= --reporter= -r= --concurrency= -j= --no-pub --pub --output= -o= --set-exit-if-changed --fatal-infos --fatal-warnings --no-fatal-infos --no-fatal-warnings --line-length= -l= --release --debug --profile --update-goldens --machine --watch --total-shards= --shard-index= --test-randomize-ordering-seed= --offline --show= --no-example --fix --dart-define= --flavor= -d= --device-id= --apply --dry-run",
    ),
    row(
        "deno",
        "--check --watch --coverage --coverage= --fail-fast --filter= --parallel --no-check --fix --ignore= --rules --json --allow-read --allow-net --allow-env -A --allow-all --quiet --ext= --shuffle --trace-leaks --doc --no-run --permit-no-files --unstable-* --line-width= --indent-width= --single-quote --no-semicolons --prose-wrap= --use-tabs --all --html --lint",
    ),
    row(
        "rspec",
        "-e= --example= -t= --tag= -f= --format= --fail-fast --fail-fast= --only-failures --next-failure -n --order= --seed= -p --profile --profile= --dry-run -c --colour --color --force-color --no-color -b --backtrace -fd -fp -fdoc --bisect --example-matches= -w --warnings -P=",
    ),
    row(
        "rubocop",
        "-a -A -x -l --autocorrect --auto-correct --autocorrect-all --auto-correct-all --only= --except= --lint --layout --fail-level= --display-cop-names -D -f= --format= --parallel -P --force-exclusion --show-cops --display-only-fail-level-offenses --fail-fast -F --auto-gen-config -S --extra-details -E --disable-pending-cops --no-server --safe --security --cache=",
    ),
    row(
        "phpunit pest",
        "--filter= --testsuite= --group= --exclude-group= --stop-on-failure --stop-on-error --stop-on-defect --testdox --colors --colors= --no-coverage --coverage-text --coverage-text= --coverage-html= --coverage-clover= --list-tests --list-suites --list-groups --order-by= --debug --display-* --fail-on-* --strict-* --do-not-cache-result --no-progress --no-output --process-isolation --random-order --random-order-seed= --parallel --compact --dirty --bail --profile --coverage --min=",
    ),
    row(
        "phpstan",
        "--level= -l= --memory-limit= --no-progress --error-format= --debug --xdebug --ansi --no-ansi -n --no-interaction --generate-baseline --allow-empty-baseline --fail-without-result-cache --pro",
    ),
    row(
        "shellcheck",
        "-x --external-sources -S= --severity= -e= --exclude= -i= --include= -f= --format= -s= --shell= -a --check-sourced -o= --enable= -W= --wiki-link-count= -C --color= -P= --source-path= --list-optional --norc",
    ),
    row(
        "shfmt",
        "-d -l -w -s -i= -i* -ln= -bn -ci -sr -kp -fn -f -p -mn --diff --list --write --simplify --indent= --language-dialect= --find",
    ),
    row(
        "hadolint yamllint markdownlint actionlint",
        "--ignore= --no-fail --format= -f= -t= --failure-threshold= --strict -s --no-warnings --fix --ignore-path= --disable= --enable= -d= --dot -oneline -no-color -verbose -ignore= --list-files --no-colors -color --trusted-registry= --error= --warning= --info= --style= --nofail",
    ),
    row(
        "ktlint swiftlint",
        "-F --format --android -a --reporter= --relative --log-level= --strict --fix --autocorrect --quiet --lenient --no-cache --enable-all-rules --limit= --color --progress --only-rule= --disabled-rules= -l=",
    ),
    row(
        "terraform-docs tflint",
        "--recursive --format= --minimum-failure-severity= --chdir= --filter= --only= --enable-rule= --disable-rule= --color --no-color --force --module --fix --hide= --show= --sort-by= --indent= --header-from= --anchor=",
    ),
    row(
        "javac",
        "-d= -cp= -classpath= --class-path= -sourcepath= --source-path= -g -g:* -Xlint -Xlint:* -source= -target= --release= --release -encoding= -nowarn -verbose -deprecation -parameters -Werror -proc:none -h= --add-modules= --enable-preview -implicit:* -Xdoclint* -Xmaxerrs= -Xmaxwarns= -s=",
    ),
    row(
        "composer",
        "--no-interaction -n --no-dev --prefer-dist --prefer-source --no-progress -o --optimize-autoloader -a --classmap-authoritative --dry-run --no-scripts --ignore-platform-reqs --ignore-platform-req= --no-plugins --strict --direct -D --outdated --latest --format= -f= --tree -t --installed -i --all --no-check-publish --no-check-all --no-check-lock --no-suggest --ansi --no-ansi --no-autoloader --minor-only -m --locked --apcu-autoloader --audit --no-audit --profile",
    ),
    row(
        "npm pnpm yarn bun",
        "--run --silent -s --if-present -w= --workspace= --workspaces -ws -r --recursive --filter= -F= --all -a -A --json --depth= --omit= --include= --production --prod -P -D --dev --save-dev --no-audit --no-fund --legacy-peer-deps --prefer-offline --offline --frozen-lockfile --no-frozen-lockfile --immutable --immutable-cache --ignore-scripts --dry-run --coverage --watch --watchAll --watchAll= --fix --fix= -t= --testNamePattern= --testPathPattern= --runInBand -i --bail --verbose --version --parallel --stream --no-bail --loglevel= --long -l --include-workspace-root --audit-level= --grep= -g= --reporter= --ci --passWithNoTests --port= -p --host --mode= --timeout= --production= --no-save --prefix= -C= --cwd= --dir= --no-package-lock --package-lock-only --force -f --strict-peer-dependencies --no-optional --ignore-optional --ignore-engines --network-timeout= --non-interactive --no-progress --no-color --pure-lockfile --check --check-files --check-cache --mode --hot --smol --rerun-each= --only --todo --minify --target= --outdir= --outfile= --format= --splitting --sourcemap --external= --shamefully-hoist --no-git-tag-version --preid= --parseable --since= --maxWorkers= --ui --changed --browser= --headless --project= --max-warnings= --noEmit --ext= --write --updateSnapshot -u -m= --message= --no-commit-hooks --forbidOnly --update-snapshots --changedSince= --onlyChanged --type= --topological --topological-dev --topo -pt --jobs= -j= --interlaced --exclude= --no-private --verbose --inspect --detectOpenHandles --findRelatedTests --spec= --headed --prod= --configuration= --aggregate-output --workspace-concurrency= --resume-from= --report-summary --sequential --reverse --sort --no-sort --fail-if-no-match --concurrency= --global-style --install-links --foreground-scripts --no-verify --colors --bailOnError --exit --ext --delay --open --https --clean",
    ),
    row(
        "uv poetry pipenv pdm hatch rye bundle",
        "--locked --frozen --all-extras --extra= --group= --no-group= --only-group= --all-groups --no-dev --dev -d --only= --without= --with= --no-root --sync --no-sync --no-interaction -n --no-ansi --check --dry-run --outdated -o --tree --depth= --all --latest -l --why --quiet -q -v --isolated --offline --no-cache --package= --all-packages --no-install-project --inexact --exact --extras= -E= --all --reinstall --upgrade -U --refresh --no-build-isolation --jobs= -j= --retry= --local --path= --without= --deployment --clean --no-clean --prefer-local --full-index --strict --groups= --only-explicit --parseable --ignore-pipfile --deploy --skip-lock --categories= --site-packages --system --features= --global --no-lock --no-editable --prod -G= --dev --no-default --no-self --seed --prompt= --no-prompt --allow-existing --no-project --invert --no-dedupe",
    ),
    row(
        "doctest tabnanny compileall py_compile timeit json.tool venv http.server zipapp cProfile site this platform sysconfig ensurepip build",
        "-v -f -q -n= -r= -s= -u= --indent= --sort-keys --no-ensure-ascii --json-lines --compact --tab --no-indent -j= -o= --without-pip --system-site-packages --upgrade-deps --prompt= --wheel -w --sdist -l --no-isolation -n -x -b",
    ),
];

/// The form of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionForm {
    /// The option has no value, or an attached one.
    Alone,
    /// The next word is its value.
    Valued,
}

/// Returns the form of an option of a program. `None` if the option is unknown, or the program has no known options.
pub(super) fn known(program: &str, text: &str) -> Option<OptionForm> {
    let options = options_of(program)?;
    let listed = || options.split_ascii_whitespace().chain(COMMON.split_ascii_whitespace());
    let name = text.split('=').next().unwrap_or_default();
    if listed().any(|option| option == text) {
        return Some(OptionForm::Alone);
    }
    if listed().any(|option| option.strip_suffix('=') == Some(text)) {
        return Some(OptionForm::Valued);
    }
    let matches = |option: &str| {
        if let Some(start) = option.strip_suffix('*') {
            return text.starts_with(start);
        }
        let Some(valued) = option.strip_suffix('=') else { return option == name && name != text };
        // A short one may have its value attached.
        valued == name || (valued.len() == 2 && text.starts_with(valued) && !text.starts_with("--"))
    };
    if listed().any(matches) {
        return Some(OptionForm::Alone);
    }
    // Several short ones.
    let letters = text.strip_prefix('-').filter(|letters| letters.len() > 1 && !letters.starts_with('-'))?;
    let single = |letter: char| {
        listed().any(|option| option.len() == 2 && option.ends_with(letter) && option.starts_with('-'))
            || letter.is_ascii_digit()
    };
    letters.chars().all(single).then_some(OptionForm::Alone)
}

/// Returns whether an option is known of any program that a project's script may run.
pub(super) fn is_known_anywhere(text: &str) -> bool {
    ROWS.iter().any(|row| row.names.split(' ').next().is_some_and(|name| known(name, text).is_some()))
}

/// Returns whether the options of a program are known.
pub(super) fn is_described(program: &str) -> bool {
    options_of(program).is_some()
}

fn options_of(program: &str) -> Option<&'static str> {
    ROWS.iter().find(|row| row.names.split(' ').any(|name| name == program)).map(|row| row.options)
}
