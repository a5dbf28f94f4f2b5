//! The requests that arguments become.

use mgp_openapi::{ApiRequest, Document, Operation, Selection};
use mgp_types::json::RawJson;

/// Returns the first operation of a document, of which the paths are given in YAML.
fn operation(paths: &str) -> Operation {
    let document = Document::parse(&format!("openapi: 3.1.0\npaths:\n{paths}")).expect("a valid document");
    let (mut operations, omissions) = document.operations(&Selection::default());
    assert_eq!(omissions, []);
    operations.remove(0)
}

fn request(operation: &Operation, arguments: &str) -> Result<ApiRequest, String> {
    let arguments = RawJson::parse(arguments.to_owned()).expect("valid JSON");
    operation.request(&arguments).map_err(|error| error.to_string())
}

fn check(operation: &Operation, cases: &[(&str, &str)]) {
    for (arguments, expected) in cases {
        let line = request(operation, arguments).map(|request| {
            let headers = request.headers.iter().map(|(name, value)| format!("\n{name}: {value}"));
            let body = request
                .body
                .iter()
                .map(|body| format!("\n{}\n{}", body.content_type, String::from_utf8_lossy(&body.bytes)));
            format!(
                "{} {}{}",
                request.method,
                request.path_and_query,
                headers.chain(body).collect::<String>()
            )
        });
        assert_eq!(line.unwrap_or_else(|error| error), *expected, "{arguments}");
    }
}

#[test]
fn an_argument_stays_in_its_segment() {
    let operation =
        operation("  /a/{id}/b: {get: {parameters: [{name: id, in: path, schema: {type: string}}]}}");
    let dots = "expected a text that is a segment of a path: not empty, `.` or `..`";
    check(
        &operation,
        &[
            (r#"{"id": "x"}"#, "GET /a/x/b"),
            (r#"{"id": "../../admin"}"#, "GET /a/..%2F..%2Fadmin/b"),
            (r#"{"id": "?a=b#c"}"#, "GET /a/%3Fa%3Db%23c/b"),
            (r#"{"id": "%2e%2e"}"#, "GET /a/%252e%252e/b"),
            (r#"{"id": "\\..\\"}"#, "GET /a/%5C..%5C/b"),
            (r#"{"id": "a\r\nHost: x"}"#, "GET /a/a%0D%0AHost%3A%20x/b"),
            (r#"{"id": ".."}"#, &format!("argument `id`: got \"..\", {dots}")),
            (r#"{"id": "."}"#, &format!("argument `id`: got \".\", {dots}")),
            (r#"{"id": ""}"#, &format!("argument `id`: got \"\", {dots}")),
        ],
    );
}

#[test]
fn wrong_arguments_are_named() {
    let operation = operation(
        "  /a/{id}: {get: {parameters: [{name: id, in: path, schema: {type: integer}}, {name: tags, in: query, schema: {type: [array, 'null']}}]}}",
    );
    check(
        &operation,
        &[
            (r#"{"id": 7, "tags": null}"#, "GET /a/7?tags="),
            (r#"{"id": 7.0}"#, "GET /a/7.0"),
            ("{}", "missing argument `id`, expected an integer"),
            ("null", "missing argument `id`, expected an integer"),
            (r#"{"id": "7"}"#, "argument `id`: got \"7\", expected an integer"),
            (r#"{"id": 7.5}"#, "argument `id`: got 7.5, expected an integer"),
            (r#"{"id": null}"#, "argument `id`: got null, expected an integer"),
            (r#"{"id": 7, "tags": "a"}"#, "argument `tags`: got \"a\", expected null or an array"),
            (r#"{"id": 7, "x": 1}"#, "unknown argument `x`, expected one of `id`, `tags`"),
            ("[1]", "got [1] as arguments, expected an object"),
        ],
    );
}

#[test]
fn every_style_of_paths_is_written() {
    let operation = operation(
        "  /{l}/{m}/{s}/{j}:
    get:
      parameters:
        - {name: l, in: path, style: label, explode: true, schema: {type: array}}
        - {name: m, in: path, style: matrix, schema: {type: object}}
        - {name: s, in: path, schema: {type: array}}
        - {name: j, in: path, content: {application/json: {schema: {type: object}}}}",
    );
    check(
        &operation,
        &[(
            r#"{"l": ["a", "b."], "m": {"x": 1, "y": "/"}, "s": ["a", "b,c"], "j": {"k": [1]}}"#,
            "GET /.a.b./;m=x,1,y,%2F/a,b%2Cc/%7B%22k%22%3A%20%5B1%5D%7D",
        )],
    );
    let error = request(&operation, r#"{"l": [""], "m": {}, "s": ["a"], "j": {}}"#).unwrap_err();
    assert!(error.starts_with("argument `l`: got [\"\"], expected a text that is a segment"), "{error}");
}

#[test]
fn queries_headers_and_cookies_are_written_in_their_styles() {
    let operation = operation(
        "  /a:
    get:
      parameters:
        - {name: q, in: query, allowReserved: true}
        - {name: 'filter', in: query, style: deepObject}
        - {name: ids, in: query, style: pipeDelimited}
        - {name: deep, in: query, content: {application/json: {}}}
        - {name: X-Ids, in: header}
        - {name: X-Map, in: header, explode: true}
        - {name: sid, in: cookie}
        - {name: set, in: cookie, explode: false}
      responses: {'200': {description: ok, content: {text/csv: {}, application/json: {}}}}",
    );
    let accept = "accept: application/json, text/csv";
    check(
        &operation,
        &[
            ("{}", &format!("GET /a\n{accept}")),
            (
                r#"{"q": "a/b&c", "filter": {"a": {"b": "ä"}}, "ids": [1, 2], "deep": [1]}"#,
                &format!("GET /a?q=a/b%26c&filter%5Ba%5D%5Bb%5D=%C3%A4&ids=1%7C2&deep=%5B1%5D\n{accept}"),
            ),
            (
                r#"{"X-Ids": [1, "b"], "X-Map": {"a": 1}, "sid": "a; b", "set": ["x", "y"]}"#,
                &format!("GET /a\n{accept}\nX-Ids: 1,b\nX-Map: a=1\ncookie: sid=a%3B%20b; set=x,y"),
            ),
            (
                r#"{"X-Ids": "a\r\nHost: x"}"#,
                "argument `X-Ids`: got \"a\\r\\nHost: x\", expected visible ASCII characters, without line breaks and surrounding spaces, as in a header",
            ),
        ],
    );
}

#[test]
fn json_bodies_keep_the_spelling_of_values() {
    let operation = operation(
        "  /a/{id}:
    post:
      parameters: [{name: id, in: path, schema: {type: integer}}]
      requestBody:
        content: {application/json: {schema: {type: object, required: [id], additionalProperties: true, properties: {id: {type: string}, n: {type: number}}}}}",
    );
    check(
        &operation,
        &[
            (r#"{"id": 1}"#, "POST /a/1"),
            (
                r#"{"id": 1, "id_body": "x", "n": 1.50, "more": [1e2]}"#,
                "POST /a/1\napplication/json\n{\"id\":\"x\",\"n\":1.50,\"more\":[1e2]}",
            ),
            (r#"{"id": 1, "n": 1}"#, "missing argument `id_body`, expected a string"),
            (r#"{"id": 1, "id_body": 5}"#, "argument `id_body`: got 5, expected a string"),
        ],
    );
}

#[test]
fn forms_are_written_in_the_styles_of_their_encoding() {
    let operation = operation(
        "  /a:
    post:
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {a: {type: string}, card: {type: object}, list: {type: array}, raw: {type: object}}}
            encoding: {card: {style: deepObject, explode: true}}",
    );
    check(
        &operation,
        &[
            ("{}", "POST /a\napplication/x-www-form-urlencoded\n"),
            (
                r#"{"a": "x&y=z +", "list": [1, 2], "card": {"exp": {"m": 1}, "tags": ["a"]}, "raw": {"k":1}}"#,
                "POST /a\napplication/x-www-form-urlencoded\na=x%26y%3Dz%20%2B&card%5Bexp%5D%5Bm%5D=1&card%5Btags%5D%5B0%5D=a&list=1&list=2&raw=%7B%22k%22%3A1%7D",
            ),
        ],
    );
}

#[test]
fn multipart_bodies_have_files_from_base64() {
    let operation = operation(
        "  /a:
    post:
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema: {type: object, required: [file], properties: {file: {type: string, format: binary}, meta: {type: object}, tags: {type: array}}}
            encoding: {file: {contentType: 'image/png, image/jpeg'}}",
    );
    let request = request(&operation, r#"{"file": "aGk=", "meta": {"a": 1}, "tags": ["x", "y"]}"#).unwrap();
    let body = request.body.unwrap();
    assert_eq!(body.content_type, "multipart/form-data; boundary=mgp-openapi-boundary-0");
    let part = |head: &str, content: &str| {
        format!("--mgp-openapi-boundary-0\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
    };
    let expected = [
        part("name=\"file\"; filename=\"file\"\r\nContent-Type: image/png", "hi"),
        part("name=\"meta\"\r\nContent-Type: application/json", "{\"a\": 1}"),
        part("name=\"tags\"", "x"),
        part("name=\"tags\"", "y"),
        "--mgp-openapi-boundary-0--\r\n".to_owned(),
    ];
    assert_eq!(String::from_utf8(body.bytes).unwrap(), expected.concat());
    check(&operation, &[(r#"{"file": "no!"}"#, "argument `file`: got \"no!\", expected a text in base64")]);
}

#[test]
fn text_and_bytes_are_bodies_as_they_are() {
    let of = |media_type: &str| {
        operation(&format!(
            "  /a: {{post: {{requestBody: {{required: true, content: {{{media_type}: {{}}}}}}}}}}"
        ))
    };
    check(&of("text/plain"), &[(r#"{"body": "a\nb"}"#, "POST /a\ntext/plain\na\nb")]);
    check(&of("application/xml"), &[(r#"{"body": "<a/>"}"#, "POST /a\napplication/xml\n<a/>")]);
    check(
        &of("application/octet-stream"),
        &[
            (r#"{"body": "aGk="}"#, "POST /a\napplication/octet-stream\nhi"),
            (r#"{"body": "?"}"#, "argument `body`: got \"?\", expected a text in base64"),
            ("{}", "missing argument `body`, expected a string"),
        ],
    );
    let form = operation(
        "  /a: {post: {requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: string}}}}}}",
    );
    check(&form, &[(r#"{"body": "a=b"}"#, "POST /a\napplication/x-www-form-urlencoded\na=b")]);
    check(&of("application/json"), &[(r#"{"body": [1.0]}"#, "POST /a\napplication/json\n[1.0]")]);
}

#[test]
fn parts_that_no_schema_describes_may_be_files() {
    let operation = operation(
        "  /a: {post: {requestBody: {required: true, content: {multipart/form-data: {schema: {type: array, items: {}}}}}}}",
    );
    let request = request(&operation, r#"{"body": {"a": "data:text/csv;base64,aGk=", "b": "x"}}"#).unwrap();
    let bytes = String::from_utf8(request.body.unwrap().bytes).unwrap();
    assert!(bytes.contains("name=\"a\"; filename=\"a\"\r\nContent-Type: text/csv\r\n\r\nhi\r\n"), "{bytes}");
    assert!(bytes.contains("name=\"b\"\r\n\r\nx\r\n"), "{bytes}");
}

#[test]
fn a_path_may_have_parts_of_the_query() {
    let operation = operation(
        "  '/a?fixed=1&lat={y}#part': {get: {parameters: [{name: y, in: path, required: true, schema: {type: number}}]}}",
    );
    check(&operation, &[(r#"{"lat": 1.50}"#, "GET /a?fixed=1&lat=1.50")]);
}
