//! The tools of an API, and the APIs that are refused.

use crate::api::{DOCUMENT, PetApi};
use mgp_server_sdk::{
    Server,
    openapi::{Api, Document, Method, Rule, Selection},
};

fn error(api: Api) -> String {
    Server::from_openapi("pets", "1", api).map(|_| ()).unwrap_err().to_string()
}

#[tokio::test]
async fn the_selected_operations_are_tools_with_their_schemas() {
    let pets = PetApi::start().await;
    let selection = Selection { include: Vec::new(), exclude: vec![Rule::method(Method::Post)] };
    let server = Server::from_openapi("pets", "1", pets.api().select(selection)).unwrap();
    let client = server.test_client().await.unwrap();
    let tools = client.list_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["listPets", "getPet"]);
    assert_eq!(tools[1].annotations.as_ref().unwrap().read_only_hint, Some(true));
    assert!(tools[1].input_schema.as_ref().unwrap().as_str().contains("X-Trace"));
    assert!(tools[0].output_schema.as_ref().unwrap().as_str().contains("result"));
    assert_eq!(pets.requests(), [""; 0]);
}

#[test]
fn an_api_without_an_address_or_tools_is_refused() {
    let document = || Document::parse(DOCUMENT).unwrap();
    assert!(error(Api::new(document())).contains("no base URL: the document names none"));
    let relative = Document::parse("{openapi: 3.1.0, servers: [{url: /v1}], paths: {}}").unwrap();
    assert!(error(Api::new(relative)).contains("the document names /v1; set the base URL"));
    for url in ["ftp://a", "https://a:b@c", "https://a?b"] {
        assert!(error(Api::new(document()).base_url(url)).contains("base URL"), "{url}");
    }
    let selection = Selection { include: vec![Rule::tag("two")], exclude: Vec::new() };
    let none = Api::new(document()).base_url("https://a.example").select(selection);
    assert!(error(none).contains("no operation that is included and not excluded"));
}
