//! The signature of a function of Python.

use super::{
    annotation::schema,
    signature::{Parameter, Signature},
};
use crate::{
    code_safety::{
        languages::{module_bindings, module_name},
        source::with_line_feeds,
        source_tree::SourceTree,
    },
    syntax::{Grammar, Interrupt, ParseError, parse},
};
use serde_json::{Value, json};
use tree_sitter::Node;

/// The most parameters of a function.
const MAX_PARAMETERS: usize = 32;

/// The most lines that a refusal names.
const MAX_LINES: usize = 8;

/// The longest documentation that is read, in characters.
const MAX_DOCUMENTATION: usize = 1000;

/// Returns the signature of a function, or the reason why the function cannot become a tool.
pub(super) fn signature(
    code: &str,
    wanted: Option<&str>,
    interrupt: Interrupt<'_>,
) -> Result<Signature, String> {
    let code = with_line_feeds(code);
    let tree = parse(Grammar::Python, &code, interrupt).map_err(|error| error.to_string())?;
    let source = Source(&code);
    let root = tree.root_node();
    let functions: Vec<Function<'_>> = children(root).filter_map(|node| source.function(node)).collect();
    let function = pick(&functions, wanted)?;
    let list = SourceTree::new(&tree, &code, interrupt).map_err(|error| error.to_string())?;
    let bound = module_bindings(&list, &function.name);
    if list.is_exhausted() {
        return Err(ParseError::TooHard.to_string());
    }
    // A call would run the last binding, which is not the function whose signature was read.
    if bound.len() > 1 {
        let lines: Vec<_> = bound.iter().take(MAX_LINES).map(usize::to_string).collect();
        return Err(format!(
            "The name '{}' is bound {} times (lines {}): expected one `def {}`, and no other definition, assignment or import of this name",
            function.name,
            bound.len(),
            lines.join(", "),
            function.name
        ));
    }
    if function.decorated {
        return Err(format!("Function '{}' has decorators: expected a plain function", function.name));
    }
    if function.node.child(0).is_some_and(|first| first.kind() == "async") {
        return Err(format!("Function '{}' is async: expected a plain `def`", function.name));
    }
    Ok(Signature {
        function: function.name.clone(),
        documentation: source.documentation(function.node),
        parameters: source.parameters(function)?,
    })
}

/// A function at the top level of a module.
struct Function<'a> {
    /// The name, as a running module has it.
    name: String,
    node: Node<'a>,
    decorated: bool,
}

/// Returns the function that becomes the tool. Of functions with the same name the last counts, as at run time.
fn pick<'a, 'b>(functions: &'b [Function<'a>], wanted: Option<&str>) -> Result<&'b Function<'a>, String> {
    if let Some(wanted) = wanted {
        let name = module_name(wanted);
        let found = functions.iter().rev().find(|function| function.name == name);
        return found.ok_or_else(|| {
            let wanted: String = wanted.chars().take(64).collect();
            format!("No function {wanted:?}: expected a function at the top level of the code")
        });
    }
    let mut public: Vec<_> =
        functions.iter().rev().filter(|function| !function.name.starts_with('_')).collect();
    public.dedup_by(|a, b| a.name == b.name);
    public.reverse();
    match public[..] {
        [] => {
            Err("No function: expected one `def` at the top level whose name does not start with '_'".into())
        }
        [_] => Ok(public[0]),
        [first, second, ..] => Err(format!(
            "Several functions, '{}' and '{}': expected creation.function with the name of the tool's, or names that start with '_' \
             for the others",
            first.name, second.name
        )),
    }
}

fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..node.named_child_count()).filter_map(move |at| node.named_child(u32::try_from(at).ok()?))
}

/// The text of a module.
struct Source<'a>(&'a str);

impl<'a> Source<'a> {
    fn text(&self, node: Node<'_>) -> &'a str {
        self.0.get(node.byte_range()).unwrap_or_default()
    }

    fn function(&self, node: Node<'a>) -> Option<Function<'a>> {
        let (definition, decorated) = match node.kind() {
            "decorated_definition" => (node.child_by_field_name("definition")?, true),
            _ => (node, false),
        };
        let is_function = definition.kind() == "function_definition";
        let name = definition.child_by_field_name("name").filter(|_| is_function)?;
        Some(Function { name: module_name(self.text(name)), node: definition, decorated })
    }

    fn parameters(&self, function: &Function<'a>) -> Result<Vec<Parameter>, String> {
        let Some(list) = function.node.child_by_field_name("parameters") else { return Ok(Vec::new()) };
        let mut parameters: Vec<Parameter> = Vec::new();
        for node in children(list).filter(|node| node.kind() != "comment") {
            // After it, parameters are passed by name, as are all parameters of a tool.
            if node.kind() == "keyword_separator" {
                continue;
            }
            parameters.push(self.parameter(node)?);
        }
        match parameters.len() {
            0..=MAX_PARAMETERS => Ok(parameters),
            count => Err(format!("{count} parameters: expected at most {MAX_PARAMETERS}")),
        }
    }

    fn parameter(&self, node: Node<'a>) -> Result<Parameter, String> {
        let value = node.child_by_field_name("value");
        let name = match node.kind() {
            "typed_default_parameter" => node.child_by_field_name("name"),
            "typed_parameter" => node.named_child(0).filter(|name| name.kind() == "identifier"),
            "identifier" | "default_parameter" => {
                let name = self.text(node.child_by_field_name("name").unwrap_or(node));
                return Err(format!(
                    "Parameter '{name}' has no type: expected an annotation, as in `{name}: str`"
                ));
            }
            _ => None,
        };
        let typed = name.zip(node.child_by_field_name("type"));
        let Some((name, annotation)) = typed.filter(|(name, _)| name.kind() == "identifier") else {
            let text: String = self.text(node).chars().take(64).collect();
            return Err(format!(
                "Parameter '{text}' cannot be given by name: expected `name: type` or `name: type = value`"
            ));
        };
        let name = self.text(name).to_owned();
        let mut schema =
            schema(self.text(annotation)).map_err(|error| format!("Parameter '{name}': {error}"))?;
        if let Some(value) = value.and_then(|value| self.literal(value))
            && let Value::Object(schema) = &mut schema
        {
            schema.insert("default".to_owned(), value);
        }
        Ok(Parameter { name, schema, optional: value.is_some() })
    }

    /// Returns a default value that is the same in JSON.
    fn literal(&self, node: Node<'_>) -> Option<Value> {
        let text = self.text(node);
        match node.kind() {
            "true" => Some(json!(true)),
            "false" => Some(json!(false)),
            "none" => Some(Value::Null),
            "integer" | "float" => serde_json::from_str(text).ok(),
            "string" => plain_string(text).map(Value::from),
            _ => None,
        }
    }

    fn documentation(&self, function: Node<'_>) -> Option<String> {
        let statement =
            children(function.child_by_field_name("body")?).find(|node| node.kind() != "comment")?;
        let string =
            if statement.kind() == "expression_statement" { statement.named_child(0)? } else { statement };
        if string.kind() != "string" {
            return None;
        }
        let text = plain_string(self.text(string))?;
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        let text = lines.join("\n");
        let text: String = text.trim().chars().take(MAX_DOCUMENTATION).collect();
        (!text.is_empty()).then_some(text)
    }
}

/// Returns the content of a string without a prefix and without escapes.
fn plain_string(text: &str) -> Option<&str> {
    let quotes = ["\"\"\"", "'''", "\"", "'"];
    let inner = quotes.iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))?;
    (!inner.contains('\\')).then_some(inner)
}
