//! The tools that operations become.

use mgp_openapi::{Document, Method, Operation, Rule, Selection};
use mgp_types::json::RawJson;
use serde_json::{Value, json};

fn document(members: Value) -> Document {
    let mut document = json!({"openapi": "3.0.3", "info": {"title": "t", "version": "1"}});
    if let (Value::Object(document), Value::Object(members)) = (&mut document, members) {
        document.extend(members);
    }
    Document::parse(&document.to_string()).expect("a valid document")
}

/// Returns the only operation of a document whose path item is given.
fn operation(path: &str, item: &Value, components: &Value) -> Operation {
    let document = document(json!({"paths": {path: item}, "components": components}));
    let (mut operations, omissions) = document.operations(&Selection::default());
    assert_eq!((operations.len(), omissions.as_slice()), (1, &[][..]));
    operations.remove(0)
}

fn value(json: Option<&RawJson>) -> Value {
    json.and_then(|json| json.decode().ok()).unwrap_or_default()
}

fn check_input(path: &str, item: &Value, components: &Value, expected: &Value) {
    let operation = operation(path, item, components);
    let schema = value(operation.tool().input_schema.as_ref());
    assert!(jsonschema::draft202012::meta::is_valid(&schema), "{schema}");
    assert_eq!(schema, *expected);
}

fn json_body(schema: &Value) -> Value {
    json!({"required": true, "content": {"application/json": {"schema": schema}}})
}

#[test]
fn parameters_and_members_of_the_body_are_one_flat_object() {
    let item = json!({"put": {
        "parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}},
            {"name": "dry", "in": "query", "description": "Whether to try only.", "schema": {"type": "boolean", "default": false}},
            {"name": "If-Match", "in": "header", "required": true, "schema": {"type": "string"}},
            {"name": "session", "in": "cookie", "schema": {"type": "string"}},
        ],
        "requestBody": json_body(&json!({
            "type": "object", "required": ["name"], "properties": {"name": {"type": "string", "example": "a"}, "age": {"type": "integer"}}
        })),
    }});
    let expected = json!({
        "type": "object", "additionalProperties": false, "required": ["id", "If-Match", "name"],
        "properties": {
            "id": {"type": "integer"},
            "dry": {"type": "boolean", "default": false, "description": "Whether to try only."},
            "If-Match": {"type": "string"}, "session": {"type": "string"},
            "name": {"type": "string", "examples": ["a"]}, "age": {"type": "integer"},
        }
    });
    check_input("/users/{id}", &item, &json!({}), &expected);
}

#[test]
fn equal_names_get_the_suffix_of_their_place() {
    let item = json!({"post": {
        "parameters": [
            {"name": "id", "in": "query", "schema": {"type": "string"}},
            {"name": "id", "in": "path", "schema": {"type": "integer"}},
        ],
        "requestBody": json_body(&json!({"type": "object", "properties": {"id": {"type": "boolean"}}})),
    }});
    let expected = json!({
        "type": "object", "additionalProperties": false, "required": ["id"],
        "properties": {
            "id": {"type": "integer"},
            "id_query": {"type": "string", "description": "Sent as `id`."},
            "id_body": {"type": "boolean", "description": "Sent as `id`."},
        }
    });
    check_input("/a/{id}", &item, &json!({}), &expected);
}

#[test]
fn references_to_every_kind_of_component_are_followed() {
    let components = json!({
        "parameters": {"page": {"name": "page", "in": "query", "schema": {"$ref": "#/components/schemas/Page"}}},
        "requestBodies": {"user": json_body(&json!({"$ref": "#/components/schemas/User"}))},
        "schemas": {
            "Page": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
            "User": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "properties": {"name": {"type": "string", "nullable": true}}}]},
            "Base": {"type": "object", "required": ["id", "kind"], "properties": {
                "id": {"type": "string", "readOnly": true}, "kind": {"type": "string", "enum": ["a"]}
            }},
        },
        "pathItems": {"users": {"post": {
            "parameters": [{"$ref": "#/components/parameters/page"}], "requestBody": {"$ref": "#/components/requestBodies/user"}
        }}},
    });
    let expected = json!({
        "type": "object", "additionalProperties": false, "required": ["kind"],
        "properties": {
            "page": {"type": "integer", "exclusiveMinimum": 0},
            "kind": {"type": "string", "enum": ["a"]}, "name": {"type": ["string", "null"]},
        }
    });
    check_input("/users", &json!({"$ref": "#/components/pathItems/users"}), &components, &expected);
}

#[test]
fn parameters_of_the_path_and_the_operation_are_merged() {
    let item = json!({
        "parameters": [
            {"name": "a", "in": "query", "schema": {"type": "string"}},
            {"name": "b", "in": "query", "schema": {"type": "string"}},
        ],
        "get": {"parameters": [{"name": "b", "in": "query", "required": true, "schema": {"type": "integer"}}]},
    });
    let expected = json!({
        "type": "object", "additionalProperties": false, "required": ["b"],
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}
    });
    check_input("/x", &item, &json!({}), &expected);
}

#[test]
fn a_body_that_is_not_an_object_is_the_argument_body() {
    let item =
        json!({"post": {"requestBody": json_body(&json!({"type": "array", "items": {"type": "string"}}))}});
    let expected = json!({
        "type": "object", "additionalProperties": false, "required": ["body"],
        "properties": {"body": {"type": "array", "items": {"type": "string"}}}
    });
    check_input("/x", &item, &json!({}), &expected);
}

#[test]
fn an_optional_body_requires_none_of_its_members() {
    let body = json!({"content": {"application/json": {"schema": {
        "type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}
    }}}});
    let expected = json!({
        "type": "object", "additionalProperties": {"type": "integer"}, "properties": {"a": {"type": "string"}}
    });
    check_input("/x", &json!({"post": {"requestBody": body}}), &json!({}), &expected);
}

#[test]
fn files_are_arguments_in_base64() {
    let body = json!({"required": true, "content": {"multipart/form-data": {"schema": {
        "type": "object", "properties": {
            "file": {"type": "string", "format": "binary", "description": "A picture."},
            "more": {"type": "array", "items": {"type": "string", "format": "binary"}},
        }
    }}}});
    let one = json!({"type": "string", "contentEncoding": "base64"});
    let expected = json!({
        "type": "object", "additionalProperties": false, "properties": {
            "file": {"type": "string", "contentEncoding": "base64", "description": "A picture. The content of the file, in base64."},
            "more": {"type": "array", "items": one, "description": "The content of the file, in base64."},
        }
    });
    check_input("/x", &json!({"post": {"requestBody": body}}), &json!({}), &expected);
}

#[test]
fn a_recursive_body_has_local_definitions() {
    let components = json!({"schemas": {"Node": {"type": "object", "required": ["next"], "properties": {
        "next": {"$ref": "#/components/schemas/Node"}, "id": {"type": "string", "readOnly": true}
    }}}});
    let reference = json!({"$ref": "#/$defs/Node"});
    let expected = json!({
        "type": "object", "additionalProperties": false, "required": ["next"], "properties": {"next": reference},
        "$defs": {"Node": {"type": "object", "required": ["next"], "properties": {"next": reference}}}
    });
    let body = json_body(&json!({"$ref": "#/components/schemas/Node"}));
    check_input("/x", &json!({"post": {"requestBody": body}}), &components, &expected);
}

#[test]
fn a_tool_has_a_title_a_description_and_hints() {
    let get = json!({"operationId": "repos/list-for-user", "summary": "List", "description": "All.", "deprecated": true});
    let operation = operation("/x", &json!({"get": get}), &json!({}));
    let tool = operation.tool();
    assert_eq!((tool.name.as_str(), tool.title.as_deref()), ("repos_list-for-user", Some("List")));
    assert_eq!(tool.description.as_deref(), Some("Deprecated.\n\nList. All."));
    let hints = tool.annotations.as_ref().unwrap();
    assert_eq!((hints.read_only_hint, hints.open_world_hint), (Some(true), Some(true)));
}

#[test]
fn the_result_has_the_schema_of_the_first_json_response() {
    let of = |schema: Value| {
        let get = json!({"responses": {"200": {"content": {"application/json": {"schema": schema}}}}});
        value(operation("/x", &json!({"get": get}), &json!({})).tool().output_schema.as_ref())
    };
    let secret = json!({"type": "object", "properties": {"a": {"writeOnly": true}, "b": {"type": "string", "readOnly": true}}});
    assert_eq!(of(secret), json!({"type": "object", "properties": {"b": {"type": "string"}}}));
    let list = json!({"type": "array", "items": {"type": "integer"}});
    assert_eq!(
        of(list.clone()),
        json!({"type": "object", "properties": {"result": list}, "required": ["result"]})
    );
}

#[test]
fn the_description_states_that_a_schema_is_simplified() {
    let members: serde_json::Map<String, Value> = (0..300)
        .map(|n| (format!("m{n}"), json!({"type": "object", "description": "d".repeat(300), "properties": {"a": {"type": "string"}}})))
        .collect();
    let body = json_body(&json!({"type": "object", "properties": members}));
    let operation = operation("/x", &json!({"post": {"requestBody": body}}), &json!({}));
    let schema = value(operation.tool().input_schema.as_ref());
    assert!(schema.to_string().len() <= mgp_openapi::limits::MAX_SCHEMA);
    assert_eq!(schema["properties"].as_object().unwrap().len(), 300);
    assert!(
        operation.tool().description.as_ref().unwrap().contains("The schema of the arguments is simplified")
    );
}

#[test]
fn an_unusable_operation_is_omitted_with_its_reason() {
    let document = document(json!({"paths": {
        "/ok": {"get": {}},
        "no-slash": {"get": {"operationId": "a"}},
        "/number": {"get": 7},
        "/item": 7,
        "/gone": {"$ref": "#/nothing"},
        "/far": {"get": {"parameters": [{"$ref": "other.yaml#/a"}]}},
        "/body": {"post": {"requestBody": {"$ref": "#/loop"}}},
        "/place": {"get": {"parameters": [{"name": "a", "in": "body"}]}},
        "x-own": 7,
    }, "loop": {"$ref": "#/loop"}}));
    let (operations, omissions) = document.operations(&Selection::default());
    assert_eq!(operations.len(), 1);
    let mut reasons: Vec<String> = omissions.iter().map(ToString::to_string).collect();
    reasons.sort();
    let expected = [
        "/gone: the reference `#/nothing` points to nothing in the document",
        "/item: the path's value is 7, expected an object",
        "GET /far: the reference `other.yaml#/a` leaves the document, expected one that begins with `#/`",
        "GET /number: the operation is 7, expected an object",
        "GET /place: the location of the parameter `a` is \"body\", expected path, query, header or cookie",
        "GET no-slash: the path does not begin with `/`",
        "POST /body: the reference `#/loop` leads back to itself, or through more than 32 others",
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn names_do_not_depend_on_the_selection() {
    let get = json!({"get": {"operationId": "list", "tags": ["t"]}});
    let document = document(json!({"paths": {"/a": get, "/b": get}}));
    let names = |selection: &Selection| {
        let (operations, _) = document.operations(selection);
        operations
            .iter()
            .map(|operation| format!("{} {}", operation.path(), operation.tool().name))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&Selection::default()), ["/a list", "/b list_2"]);
    let only = Selection { include: vec![Rule::path("/b")], exclude: vec![Rule::method(Method::Post)] };
    assert_eq!(names(&only), ["/b list_2"]);
}

#[test]
fn an_operation_has_the_servers_that_it_names() {
    let item = json!({"servers": [{"url": "https://item"}], "get": {"servers": [{"url": "https://own"}], "tags": ["a"]}});
    let operation = operation("/x", &item, &json!({}));
    assert_eq!(
        (operation.servers(), operation.tags()),
        (&["https://own".to_owned()][..], &["a".to_owned()][..])
    );
}

#[test]
fn schemas_that_multiply_by_references_stay_small() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let mut schemas = serde_json::Map::new();
        for level in 0..60 {
            let next = json!({"$ref": format!("#/components/schemas/a{}", level + 1)});
            let members = json!({"x": next, "y": next, "id": {"readOnly": true}});
            let schema =
                json!({"type": "object", keyword: [next, next], "properties": members, "required": ["id"]});
            schemas.insert(format!("a{level}"), schema);
        }
        schemas.insert("a60".to_owned(), json!({"type": "object", "properties": {"z": {"type": "string"}}}));
        let body = json_body(&json!({"$ref": "#/components/schemas/a0"}));
        let item = json!({"post": {"requestBody": body, "responses": {"200": body}}});
        let operation = operation("/x", &item, &json!({"schemas": schemas}));
        let schema = value(operation.tool().input_schema.as_ref());
        assert!(schema.to_string().len() <= mgp_openapi::limits::MAX_SCHEMA);
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{schema}");
    }
}
