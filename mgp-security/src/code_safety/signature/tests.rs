//! Tests of signatures.

use crate::code_safety::{CodeRules, Signature};
use mgp_types::code_safety::{CodeSafety, SafetyLevel};
use serde_json::{Value, json};

fn read(code: &str, function: Option<&str>) -> Result<Signature, String> {
    let declared =
        CodeSafety { level: SafetyLevel::Strict, language: Some("python".into()), ..Default::default() };
    CodeRules::of([&declared]).signature(code, function).map_err(|rejection| {
        assert!(rejection.hints.is_some(), "{rejection:?}");
        rejection.violations.join("; ")
    })
}

fn schema_of(parameters: &str) -> Value {
    read(&format!("def f({parameters}):\n    return 1\n"), None).unwrap().input_schema()
}

#[test]
fn the_parameters_of_a_function_become_a_schema() {
    let schema = schema_of(
        "text: str, *, count: int = 3, ratio: float = -1.5, mode: Literal['a', \"b\", 4] = 'a', deep: dict[str, list[int | None]] = {}",
    );
    let expected = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer", "default": 3},
            "ratio": {"type": "number"},
            "mode": {"enum": ["a", "b", 4], "default": "a"},
            "deep": {"type": "object", "additionalProperties": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
        },
        "required": ["text"],
        "additionalProperties": false,
    });
    assert_eq!(schema, expected);
    let typed =
        schema_of("a: typing.Optional[bool] = None, b: list = [], c: Any = True, d: Union[str, dict] = 'x'");
    assert_eq!(typed["properties"]["a"]["anyOf"], json!([{"type": "boolean"}, {"type": "null"}]));
    assert_eq!(typed["properties"]["c"], json!({"default": true}));
    assert_eq!(schema_of("")["required"], json!([]));
}

#[test]
fn the_documentation_is_the_function_s_first_string() {
    let read = |body: &str| read(&format!("def f():\n{body}\n"), None).unwrap().documentation;
    assert_eq!(
        read("    \"\"\"Counts words.\n\n    Of a text.\n    \"\"\"\n    return 1").as_deref(),
        Some("Counts words.\n\nOf a text.")
    );
    assert_eq!(read("    'Short.'").as_deref(), Some("Short."));
    assert_eq!(read("    return 'no documentation'"), None);
}

#[test]
fn the_function_is_the_named_or_only_public_one() {
    let code = "def _help(x): return x\n\ndef one(): return 1\n";
    assert_eq!(read(code, None).unwrap().function, "one");
    let two = format!("{code}\ndef two(): return 2\n");
    assert!(read(&two, None).unwrap_err().starts_with("Several functions, 'one' and 'two'"));
    assert_eq!(read(&two, Some("two")).unwrap().function, "two");
    assert!(read(&two, Some("three")).unwrap_err().starts_with("No function \"three\""));
    assert!(read("x = 1", None).unwrap_err().starts_with("No function: expected one `def`"));
}

#[test]
fn a_rebound_function_name_is_refused() {
    let before = "def _other(): return 0\n\ndef f(a: int): return a\n";
    let mut taken = Vec::new();
    for after in [
        "def f(*a): return a",
        "async def f(a: int): return a",
        "import functools\n@functools.cache\ndef f(a: int): return a",
        "if True:\n    def f(*a): return a",
        "class f: pass",
        "f = _other",
        "(f) = _other",
        "x = f = _other",
        "f: object = _other",
        "x, (f, *y) = 1, (_other, 2)",
        "[*f] = [_other]",
        "f += 1",
        "print(f := _other)",
        "x = [1 for x in [1] if (f := _other)]",
        "def _late(x: int = (f := _other)): return 1",
        "for f in [_other]: pass",
        "with _other() as f: pass",
        "with _other() as (f, x): pass",
        "try: pass\nexcept Exception as f: pass",
        "match _other:\n    case f: pass",
        "match [_other]:\n    case [*f]: pass",
        "match _other:\n    case object() as f: pass",
        "import math as f",
        "from math import sqrt as f",
        "def _set():\n    global f\n    f = _other\n_set()",
        "class _C:\n    global f\n    f = _other",
    ] {
        for function in [None, Some("f")] {
            let read = read(&format!("{before}{after}\n"), function).map(|read| read.function);
            let error = read.err().unwrap_or_default();
            if !error.starts_with("The name 'f' is bound 2 times (lines 3, ") {
                taken.push((after, error));
            }
        }
    }
    assert!(taken.is_empty(), "{taken:?}");
    for beside in [
        "def _g(f: int): return f",
        "def _g():\n    f = 1\n    return f",
        "class _C:\n    def f(self): return 1",
        "_x = [f for f in [1]]",
        "_x = (lambda f: f)(1)",
        "_x = dict(f=f)",
        "import math",
    ] {
        assert!(read(&format!("{before}{beside}\n"), None).is_ok(), "{beside}");
    }
    // A function that was replaced is not read.
    assert!(read("def f(): return 1\ndef f(a: int): return a", None).unwrap_err().contains("(lines 1, 2)"));
    // Names that Python reads differently from how they are written are refused before.
    for after in ["from math import *", "\u{ff46} = _other"] {
        assert!(read(&format!("{before}{after}\n"), None).is_err(), "{after}");
    }
}

#[test]
fn a_function_that_cannot_become_a_tool_is_refused() {
    let many: String = (0..40).map(|i| format!("a{i}: int, ")).collect();
    let deep = format!("x: {}int{}", "list[".repeat(20), "]".repeat(20));
    let long = format!("x: Literal[{}]", "1, ".repeat(500));
    for (parameters, text) in [
        ("x", "Parameter 'x' has no type: expected an annotation, as in `x: str`"),
        ("x=1", "Parameter 'x' has no type"),
        ("*x: int", "Parameter '*x: int' cannot be given by name"),
        ("**x", "Parameter '**x' cannot be given by name"),
        ("x: int, /", "Parameter '/' cannot be given by name"),
        ("x: set[int]", "Parameter 'x': unknown type at \"set[int]\": expected str, int,"),
        ("x: dict[int, int]", "Parameter 'x': the keys of a dict are texts"),
        ("x: list[int, int]", "Parameter 'x': a list has one type"),
        ("x: Literal[y]", "Parameter 'x': unknown type"),
        ("x: Union", "Parameter 'x': unknown type at \"Union\""),
        ("x: list[Union]", "Parameter 'x': unknown type at \"Union]\""),
        ("x: 'str'", "Parameter 'x': unknown type at \"'str'\""),
        ("x: int | ", "Syntax error"),
        (&many, "40 parameters: expected at most 32"),
        (&deep, "Parameter 'x': the type is nested too deeply"),
        (&long, "Parameter 'x': the type has"),
    ] {
        let error = read(&format!("def f({parameters}):\n    return 1\n"), None).unwrap_err();
        assert!(error.starts_with(text), "{parameters:.40}: {error}");
    }
    assert!(read("async def f(): return 1", None).unwrap_err().contains("is async"));
    assert!(
        read("import functools\n@functools.cache\ndef f(): return 1", None)
            .unwrap_err()
            .contains("has decorators")
    );
}

#[test]
fn unsafe_code_has_no_signature() {
    assert!(read("import subprocess\ndef f(): return 1", None).unwrap_err().contains("subprocess"));
    let none = CodeRules::of([&CodeSafety { language: Some("bash".into()), ..Default::default() }]);
    let refused = none.signature("true", None).unwrap_err();
    assert_eq!(refused.violations, ["Unknown language: only functions of Python become tools"]);
}
