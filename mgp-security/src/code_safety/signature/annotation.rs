//! The JSON Schema of a Python type annotation.

use serde_json::{Value, json};

/// The deepest nesting of types.
const MAX_DEPTH: usize = 8;

/// The longest annotation, in bytes.
const MAX_LENGTH: usize = 1024;

/// The types that can be named.
const KNOWN: &str = "str, int, float, bool, None, Any, list[...], dict[str, ...], Optional[...], Union[...], Literal[...], and unions with |";

/// Returns the JSON Schema of an annotation, or the reason why there is none.
pub(super) fn schema(annotation: &str) -> Result<Value, String> {
    if annotation.len() > MAX_LENGTH {
        return Err(format!("the type has {} bytes: expected at most {MAX_LENGTH}", annotation.len()));
    }
    let mut reader = Reader { rest: annotation };
    let schema = reader.union(MAX_DEPTH)?;
    if reader.rest.trim().is_empty() { Ok(schema) } else { Err(reader.unknown()) }
}

/// A reader of annotations.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Takes a mark, if it comes next.
    fn takes(&mut self, mark: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expects(&mut self, mark: char) -> Result<(), String> {
        if self.takes(mark) { Ok(()) } else { Err(self.unknown()) }
    }

    fn unknown(&self) -> String {
        let rest: String = self.rest.trim().chars().take(32).collect();
        format!("unknown type at {rest:?}: expected {KNOWN}")
    }

    /// Reads types that are separated by `|`.
    fn union(&mut self, depth: usize) -> Result<Value, String> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(format!("the type is nested too deeply: expected at most {MAX_DEPTH} levels"));
        };
        let mut all = vec![self.one(depth)?];
        while self.takes('|') {
            all.push(self.one(depth)?);
        }
        Ok(any_of(all))
    }

    fn one(&mut self, depth: usize) -> Result<Value, String> {
        let at = self.rest;
        let name = self.name();
        // The module of a type has no meaning here.
        let schema = match name.rsplit('.').next().unwrap_or_default() {
            "str" => json!({"type": "string"}),
            "int" => json!({"type": "integer"}),
            "float" => json!({"type": "number"}),
            "bool" => json!({"type": "boolean"}),
            "None" => json!({"type": "null"}),
            "Any" | "object" => json!({}),
            "list" | "List" | "Sequence" | "Iterable" => {
                let items = self.arguments(depth)?;
                match &items[..] {
                    [] => json!({"type": "array"}),
                    [items] => json!({"type": "array", "items": items}),
                    _ => return Err(format!("a list has one type of items: expected {KNOWN}")),
                }
            }
            "dict" | "Dict" | "Mapping" => {
                let members = self.arguments(depth)?;
                match &members[..] {
                    [] => json!({"type": "object"}),
                    [keys, values] if keys["type"] == "string" => {
                        json!({"type": "object", "additionalProperties": values})
                    }
                    _ => return Err(format!("the keys of a dict are texts: expected {KNOWN}")),
                }
            }
            "Optional" => {
                let mut all = self.arguments(depth)?;
                all.push(json!({"type": "null"}));
                any_of(all)
            }
            "Union" => match self.arguments(depth)? {
                all if all.is_empty() => {
                    self.rest = at;
                    return Err(self.unknown());
                }
                all => any_of(all),
            },
            "Literal" => json!({"enum": self.literals()?}),
            _ => {
                self.rest = at;
                return Err(self.unknown());
            }
        };
        Ok(schema)
    }

    /// Reads the types in square brackets after a name.
    fn arguments(&mut self, depth: usize) -> Result<Vec<Value>, String> {
        let mut all = Vec::new();
        if self.takes('[') {
            loop {
                all.push(self.union(depth)?);
                if !self.takes(',') {
                    break;
                }
            }
            self.expects(']')?;
        }
        Ok(all)
    }

    /// Reads the values of `Literal`.
    fn literals(&mut self) -> Result<Vec<Value>, String> {
        let mut all = Vec::new();
        self.expects('[')?;
        loop {
            self.rest = self.rest.trim_start();
            let quote = self.rest.chars().next().filter(|c| matches!(c, '"' | '\''));
            all.push(match quote {
                Some(quote) => {
                    let text = &self.rest[1..];
                    let (text, rest) = text.split_once(quote).ok_or_else(|| self.unknown())?;
                    self.rest = rest;
                    json!(text)
                }
                None => match self.name() {
                    "True" => json!(true),
                    "False" => json!(false),
                    "None" => Value::Null,
                    number => json!(number.parse::<i64>().map_err(|_| self.unknown())?),
                },
            });
            if !self.takes(',') {
                break;
            }
        }
        self.expects(']').map(|()| all)
    }

    /// Takes a name, or a number.
    fn name(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let (name, rest) = self.rest.split_at(self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len()));
        self.rest = rest;
        name
    }
}

fn any_of(mut all: Vec<Value>) -> Value {
    all.dedup();
    if all.len() == 1 { all.swap_remove(0) } else { json!({"anyOf": all}) }
}
