//! Structured content, and the schema that says what it is.

use crate::support::{Way, builder, connect, within};
use mgp_client_sdk::RawJson;
use mgp_server_sdk::{Json, Server, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Debug)]
struct Weather {
    degrees: f64,
    wind: Option<String>,
}

fn server() -> Server {
    let weather = || async { Json(Weather { degrees: 21.5, wind: None }) };
    Server::new("weather", "1")
        .tool(Tool::new("weather", "Says the weather", weather).output::<Weather>())
        .tool(Tool::new("words", "Says it in words", || async { "mild" }))
}

#[tokio::test]
async fn structured_content_is_read_with_its_schema() {
    for way in Way::ALL {
        let connected = connect(*way, server(), builder()).await;
        let client = &connected.client;
        let tools = within(client.list_tools()).await.unwrap();
        let schema = tools[0].output_schema.as_ref().unwrap();
        let schema: serde_json::Value = serde_json::from_str(schema.as_str()).unwrap();
        assert_eq!(schema["properties"]["degrees"]["type"], "number", "{way:?}");
        assert!(tools[1].output_schema.is_none(), "{way:?}");

        let result = within(client.call_tool("weather", RawJson::empty_object())).await.unwrap();
        let said: Weather = serde_json::from_str(result.structured_content.unwrap().as_str()).unwrap();
        assert_eq!(said, Weather { degrees: 21.5, wind: None }, "{way:?}");
        let result = within(client.call_tool("words", RawJson::empty_object())).await.unwrap();
        assert!(result.structured_content.is_none(), "{way:?}");
    }
}
