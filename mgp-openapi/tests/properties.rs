//! Properties of arbitrary texts and arguments.

use mgp_openapi::{ApiResponse, Document, Operation, Selection};
use mgp_types::{json::RawJson, json_schema::CompiledSchema};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// A document with each style of parameters, and each kind of body.
const DOCUMENT: &str = "
openapi: 3.1.0
paths:
  /a/{simple}/{label}/{matrix}/x{mixed}.{end}/z:
    get:
      parameters:
        - {name: simple, in: path}
        - {name: label, in: path, style: label, explode: true}
        - {name: matrix, in: path, style: matrix, explode: true}
        - {name: form, in: query}
        - {name: deep, in: query, style: deepObject}
        - {name: pipe, in: query, style: pipeDelimited}
        - {name: reserved, in: query, allowReserved: true}
        - {name: json, in: query, content: {application/json: {}}}
        - {name: X-Header, in: header}
        - {name: cookie, in: cookie}
  /json:
    post: {requestBody: {content: {application/json: {schema: {type: object, properties: {a: {}, b: {type: string}}, additionalProperties: {}}}}}}
  /form:
    post: {requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {}, b: {}}}, encoding: {a: {style: deepObject}}}}}}
  /multipart:
    post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {}, b: {type: string, format: binary}}}}}}}
  /bytes:
    post: {requestBody: {content: {application/octet-stream: {}}}}
";

fn operations() -> Vec<Operation> {
    Document::parse(DOCUMENT).expect("a valid document").operations(&Selection::default()).0
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        "[./%?#\\\\\r\n;,=a]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,4}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Arguments with the names of an operation, and now and then another.
fn arguments() -> impl Strategy<Value = (usize, Value)> {
    let names = vec![
        "simple", "label", "matrix", "mixed", "end", "form", "deep", "pipe", "reserved", "json", "X-Header",
        "cookie", "a", "b", "body",
    ];
    let some = prop::collection::btree_map(prop::sample::select(names), json(), 0..15);
    (0..5_usize, some).prop_map(|(index, map)| {
        (index, Value::Object(map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
    })
}

/// Arguments of the first operation, with all that it requires.
fn complete() -> impl Strategy<Value = Value> {
    prop::collection::vec(json(), 10).prop_map(|values| {
        let names = ["simple", "label", "matrix", "mixed", "end", "form", "deep", "pipe", "reserved", "json"];
        let members: Map<String, Value> = names.iter().map(|name| (*name).to_owned()).zip(values).collect();
        Value::Object(members)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,200}", yaml in "[-a:{}\\[\\]&*<>|!%@'\", \n#?]{0,80}") {
        for text in [text, yaml.clone(), format!("openapi: 3.1.0\npaths:\n  /a: {yaml}\n")] {
            if let Ok(document) = Document::parse(&text) {
                let _ = (document.operations(&Selection::default()), document.servers(), document.security());
            }
        }
    }

    #[test]
    fn no_document_makes_the_tools_panic(paths in json(), item in json(), operation in json(), schema in json()) {
        let wrap = |name: &str, value: &Value| {
            let mut map = Map::new();
            map.insert(name.to_owned(), value.clone());
            Value::Object(map)
        };
        let body = serde_json::json!({
            "parameters": [{"name": "a", "in": "query", "schema": schema}, operation],
            "requestBody": {"content": {"application/json": {"schema": schema, "encoding": operation}}},
            "responses": {"200": {"content": {"application/json": {"schema": schema}}}},
        });
        for paths in [paths, wrap("/a", &item), wrap("/a", &wrap("get", &operation)), wrap("/a", &wrap("post", &body))] {
            let document = serde_json::json!({"openapi": "3.0.0", "paths": paths, "components": {"schemas": {"a": schema}}});
            if let Ok(document) = Document::parse(&document.to_string()) {
                let (operations, _) = document.operations(&Selection::default());
                for operation in operations {
                    let schema: Value = operation.tool().input_schema.as_ref().unwrap().decode().unwrap();
                    prop_assert!(jsonschema::draft202012::meta::is_valid(&schema), "{schema}");
                    prop_assert!(CompiledSchema::compile(&schema).is_ok(), "{schema}");
                }
            }
        }
    }

    #[test]
    fn no_arguments_make_a_request_panic((index, arguments) in arguments(), other in json()) {
        let operations = operations();
        for arguments in [arguments, other] {
            let arguments = RawJson::from_value(&arguments).unwrap();
            if let Ok(request) = operations[index].request(&arguments) {
                let is_safe = |text: &str| text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
                prop_assert!(request.headers.iter().all(|(name, value)| is_safe(name) && is_safe(value)));
                prop_assert!(request.path_and_query.bytes().all(|byte| (b'!'..=b'~').contains(&byte)));
            }
        }
    }

    #[test]
    fn a_path_has_exactly_the_segments_of_its_template(arguments in complete()) {
        let operations = operations();
        let arguments = RawJson::from_value(&arguments).unwrap();
        if let Ok(request) = operations[0].request(&arguments) {
            // By the rules of browsers, which resolve dots and backslashes.
            let url = url::Url::parse(&format!("https://api.example.com/v1{}", request.path_and_query)).unwrap();
            prop_assert_eq!(url.host_str(), Some("api.example.com"));
            prop_assert_eq!(url.fragment(), None);
            let segments: Vec<&str> = url.path_segments().unwrap().collect();
            prop_assert_eq!(segments.len(), 7, "{}", url);
            prop_assert_eq!((segments[0], segments[1], segments[6]), ("v1", "a", "z"));
            prop_assert!(segments.iter().all(|segment| !segment.is_empty()));
        }
    }

    #[test]
    fn no_response_makes_a_result_or_page_panic(
        status in 0..1000_u16, media in "\\PC{0,20}", body in prop::collection::vec(any::<u8>(), 0..60), value in json(),
        link in "[<>;,=\"a-z/:?.\\\\ ]{0,40}",
    ) {
        let operation = &operations()[1];
        let request = operation.request(&RawJson::empty_object()).unwrap();
        let pages = operations();
        for body in [body, value.to_string().into_bytes()] {
            for media in [Some(media.as_str()), Some("application/json"), None] {
                let _ = operation.result(status, media, &body);
            }
            let response = ApiResponse { status, links: &[&link], body: &body };
            for operation in &pages {
                if let Some(next) = operation.next_page("https://api.example.com/v1", &request, response) {
                    prop_assert!(next.path_and_query.starts_with('/') && !next.path_and_query.starts_with("//"));
                }
            }
        }
    }
}
