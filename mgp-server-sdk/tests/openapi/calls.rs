//! Calls: the request that the API gets, and the result.

use crate::api::PetApi;
use mgp_server_sdk::openapi::OriginLimits;

#[tokio::test]
async fn arguments_become_the_request_and_the_response_the_result() {
    let pets = PetApi::start().await;
    let read = pets.call(pets.api(), "getPet", r#"{"id": "7", "X-Trace": "t"}"#).await;
    assert_eq!(read, (false, r#"{"name": "Ann"}"#.to_owned()));
    let made = pets.call(pets.api(), "addPet", r#"{"name": "Bo"}"#).await;
    assert_eq!(made, (false, r#"{"name":"Bo"}"#.to_owned()));
    assert_eq!(
        pets.requests(),
        ["GET /v1/pets/7 Bearer hush t ", r#"POST /v1/pets Bearer hush - {"name":"Bo"}"#]
    );
}

#[tokio::test]
async fn an_error_of_the_api_is_the_tool_s_with_its_message() {
    let pets = PetApi::start().await;
    let error = async |arguments| pets.call(pets.api(), "getPet", arguments).await;
    assert_eq!(error(r#"{"id": "8"}"#).await, (true, "HTTP 404 Not Found: no such pet".to_owned()));
    let (failed, text) = error(r#"{"id": "broken"}"#).await;
    assert!(failed && text.starts_with("HTTP 502 Bad Gateway"), "{text}");
    let (failed, text) = error(r#"{"id": "away"}"#).await;
    assert!(failed && text.contains("redirects to \"http://127.0.0.1:1/\", which is not followed"), "{text}");
}

#[tokio::test]
async fn wrong_arguments_are_named_and_reach_no_api() {
    let pets = PetApi::start().await;
    for (arguments, expected) in [
        (r"{}", "missing argument `id`"),
        (r#"{"id": 7}"#, "argument `id`: got 7, expected a string"),
        (r#"{"id": "7", "ID": "8"}"#, "unknown argument `ID`"),
        (r#"{"id": "7", "X-Trace": "a\r\nx: y"}"#, "X-Trace"),
    ] {
        let (failed, text) = pets.call(pets.api(), "getPet", arguments).await;
        assert!(failed && text.contains(expected), "{arguments}: {text}");
    }
    assert_eq!(pets.requests(), [""; 0]);
}

#[tokio::test]
async fn pages_are_joined_up_to_their_bound() {
    let pets = PetApi::start().await;
    let list = async |pages| pets.call(pets.api().max_pages(pages), "listPets", r#"{"tag": "a"}"#).await;
    assert_eq!(list(5).await, (false, "[1,2,3,4]".to_owned()));
    assert_eq!(pets.requests().len(), 4);
    let (failed, text) = list(2).await;
    assert!(!failed && text.starts_with("[1,2] | These are the first 2 pages"), "{text}");
    assert_eq!(pets.requests().len(), 2);
    assert_eq!(list(1).await, (false, "[1]".to_owned()));
    assert_eq!(pets.requests().len(), 1);
}

#[tokio::test]
async fn a_response_that_is_too_long_is_an_error() {
    let pets = PetApi::start().await;
    let limits = OriginLimits { size: 4000, ..OriginLimits::default() };
    let (failed, text) = pets.call(pets.api().limits(limits), "getPet", r#"{"id": "long"}"#).await;
    assert!(failed && text.contains("is longer than 4000 bytes"), "{text}");
    assert!(!text.contains("hush"), "{text}");
}
