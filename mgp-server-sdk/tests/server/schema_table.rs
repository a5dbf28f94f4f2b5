//! The table of Rust types and attributes in `docs/server.md`, row by row.

use mgp_server_sdk::{Server, Tool, extract::Args};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Blue,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[allow(dead_code)]
enum Shape {
    Circle { r: f64 },
    Point,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Inner {
    n: u8,
}

/// One field for each row of the table.
#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct AllFields {
    string: String,
    boolean: bool,
    i64: i64,
    u8: u8,
    f64: f64,
    option: Option<String>,
    vec: Vec<String>,
    set: HashSet<String>,
    array: [u8; 3],
    map: BTreeMap<String, u8>,
    tuple: (String, u8),
    unit_enum: Colour,
    tagged_enum: Shape,
    inner: Inner,
    any: Value,
    /// A description.
    documented: String,
    #[serde(default)]
    defaulted: u8,
    #[serde(rename = "other")]
    renamed: u8,
    #[serde(flatten)]
    flattened: FlatPart,
    #[schemars(length(min = 1, max = 5))]
    length: String,
    #[schemars(length(min = 1, max = 5))]
    items: Vec<String>,
    #[schemars(range(min = 1, max = 365))]
    range: u32,
    #[schemars(regex(pattern = r"^[A-Z]{1,5}$"))]
    regex: String,
    #[schemars(email)]
    email: String,
    #[schemars(url)]
    url: String,
    #[schemars(contains(pattern = "x"))]
    contains: String,
    #[schemars(title = "T", description = "D")]
    described: String,
    #[schemars(example = &"AAPL")]
    example: String,
    #[schemars(extend("multipleOf" = 5))]
    extended: u32,
    #[garde(length(min = 2))]
    garde: String,
    #[validate(length(min = 3))]
    validate: String,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct FlatPart {
    flat: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct ClosedStruct {
    a: u8,
}

/// The rows: the text in the table, a pointer into the schema, and the value there.
fn rows() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("`String`", "/properties/string/type", json!("string")),
        ("`bool`", "/properties/boolean/type", json!("boolean")),
        ("`i64`", "/properties/i64/type", json!("integer")),
        ("`u8`", "/properties/u8/minimum", json!(0)),
        ("`f64`", "/properties/f64/type", json!("number")),
        ("`Option<T>`", "/properties/option/type", json!(["string", "null"])),
        ("`Vec<T>`", "/properties/vec/items/type", json!("string")),
        ("`HashSet<T>`", "/properties/set/uniqueItems", json!(true)),
        ("`[T; N]`", "/properties/array/maxItems", json!(3)),
        ("`BTreeMap<String, T>`", "/properties/map/additionalProperties/type", json!("integer")),
        ("`(A, B)`", "/properties/tuple/prefixItems/0/type", json!("string")),
        ("enum without fields", "/properties/unit_enum/enum", json!(["red", "blue"])),
        ("`#[serde(tag)]`", "/properties/tagged_enum/oneOf/0/properties/kind/const", json!("circle")),
        ("struct", "/properties/inner/required", json!(["n"])),
        ("`serde_json::Value`", "/properties/any", json!(true)),
        ("doc comment", "/properties/documented/description", json!("A description.")),
        ("`#[serde(default)]`", "/properties/defaulted/default", json!(0)),
        ("`#[serde(rename)]`", "/properties/other/type", json!("integer")),
        ("`#[serde(flatten)]`", "/properties/flat/type", json!("integer")),
        ("`length` of a text", "/properties/length/maxLength", json!(5)),
        ("`length` of a list", "/properties/items/minItems", json!(1)),
        ("`range`", "/properties/range/maximum", json!(365)),
        ("`regex`", "/properties/regex/pattern", json!("^[A-Z]{1,5}$")),
        ("`email`", "/properties/email/format", json!("email")),
        ("`url`", "/properties/url/format", json!("uri")),
        ("`contains`", "/properties/contains/pattern", json!("x")),
        ("`title`, `description`", "/properties/described/title", json!("T")),
        ("`example`", "/properties/example/examples", json!(["AAPL"])),
        ("`extend`", "/properties/extended/multipleOf", json!(5)),
        ("`#[garde]`", "/properties/garde/minLength", json!(2)),
        ("`#[validate]`", "/properties/validate/minLength", json!(3)),
    ]
}

async fn schema(tool: Tool) -> Value {
    let client = Server::new("s", "1").tool(tool).test_client().await.unwrap();
    client.list_tools().await.unwrap()[0].input_schema.as_ref().unwrap().decode().unwrap()
}

#[tokio::test]
async fn each_row_of_the_table_is_correct() {
    let page = include_str!("../../docs/server.md");
    let schema = schema(Tool::new("t", "", async |_: Args<AllFields>| ())).await;
    for (row, pointer, value) in rows() {
        assert_eq!(schema.pointer(pointer), Some(&value), "{row}: {pointer} in {schema:#}");
        assert!(page.contains(&format!("| {row} |")), "docs/server.md lacks the row {row}");
    }
    let required = schema["required"].as_array().unwrap();
    assert!(required.contains(&json!("string")) && !required.contains(&json!("option")), "{required:?}");
    assert!(!required.contains(&json!("defaulted")), "{required:?}");
    let count = page
        .lines()
        .skip_while(|line| !line.starts_with("| Rust |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .count();
    assert_eq!(count, rows().len() + 1, "a row of docs/server.md is not tested");
}

#[tokio::test]
async fn rust_only_formats_are_left_out() {
    let schema = schema(Tool::new("t", "", async |_: Args<AllFields>| ())).await.to_string();
    assert!(!schema.contains(r#""format":"uint"#), "{schema}");
    assert!(schema.contains(r#""format":"int64""#) && schema.contains(r#""format":"email""#), "{schema}");
}

#[tokio::test]
async fn a_struct_that_denies_unknown_fields_is_closed() {
    let schema = schema(Tool::new("t", "", async |_: Args<ClosedStruct>| ())).await;
    assert_eq!(schema["additionalProperties"], false);
    assert!(include_str!("../../docs/server.md").contains("| `#[serde(deny_unknown_fields)]` |"));
}
