//! An API that a test calls: it logs its requests.

use axum::{
    Router,
    body::to_bytes,
    extract::Request,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use mgp_server_sdk::{
    RawJson, Server,
    openapi::{Api, Document, HttpClientConfig},
};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

pub(crate) const DOCUMENT: &str = r#"
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - {name: page, in: query, schema: {type: integer}}
        - {name: tag, in: query, schema: {type: string}}
      responses:
        "200": {content: {application/json: {schema: {type: array, items: {type: integer}}}}}
    post:
      operationId: addPet
      requestBody:
        required: true
        content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}
  /pets/{id}:
    get:
      operationId: getPet
      tags: [one]
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: X-Trace, in: header, schema: {type: string}}
"#;

/// The API, at its own address.
pub(crate) struct PetApi {
    pub(crate) url: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl PetApi {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let log = Arc::<Mutex<Vec<String>>>::default();
        let seen = log.clone();
        let router = Router::new().fallback(move |request: Request| answer(seen.clone(), request));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, log }
    }

    /// Returns the requests since the last call.
    pub(crate) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    pub(crate) fn api(&self) -> Api {
        Api::new(Document::parse(DOCUMENT).unwrap()).base_url(&self.url)
    }

    /// Calls a tool with a token. Returns its texts, and whether it failed.
    pub(crate) async fn call(&self, api: Api, tool: &str, arguments: &'static str) -> (bool, String) {
        let config = HttpClientConfig { bearer: Some("hush".to_owned()), ..HttpClientConfig::default() };
        let client =
            Server::from_openapi("pets", "1", api.client(config)).unwrap().test_client().await.unwrap();
        let result = client.call_tool(tool, RawJson::parse(arguments).unwrap()).await.unwrap();
        let texts: Vec<_> = result.content.iter().filter_map(|block| block.as_text()).collect();
        (result.failed(), texts.join(" | "))
    }
}

async fn answer(log: Arc<Mutex<Vec<String>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap();
    let header = |name: &str| parts.headers.get(name).map_or("-", |value| value.to_str().unwrap());
    let (token, trace) = (header("authorization"), header("x-trace"));
    log.lock().unwrap().push(format!("{} {} {token} {trace} {body}", parts.method, parts.uri));
    let json = [(header::CONTENT_TYPE, "application/json")];
    match (parts.uri.path(), parts.uri.query().unwrap_or_default()) {
        ("/v1/pets", query) if parts.method == "GET" => {
            let page = query.split('&').find_map(|pair| pair.strip_prefix("page=")).unwrap_or("1");
            let page: usize = page.parse().unwrap();
            let link = format!("</v1/pets?page={}>; rel=\"next\"", page + 1);
            let link = if page < 4 { link } else { "</v1/pets>; rel=\"first\"".to_owned() };
            (
                [(header::CONTENT_TYPE, "application/json".to_owned()), (header::LINK, link)],
                format!("[{page}]"),
            )
                .into_response()
        }
        ("/v1/pets", _) => (StatusCode::CREATED, json, body).into_response(),
        ("/v1/pets/away", _) => {
            (StatusCode::FOUND, [(header::LOCATION, "http://127.0.0.1:1/")]).into_response()
        }
        ("/v1/pets/long", _) => "x".repeat(5000).into_response(),
        ("/v1/pets/broken", _) => (StatusCode::BAD_GATEWAY, "<html>").into_response(),
        ("/v1/pets/7", _) => (json, r#"{"name": "Ann"}"#).into_response(),
        _ => (StatusCode::NOT_FOUND, json, r#"{"message": "no such pet"}"#).into_response(),
    }
}
