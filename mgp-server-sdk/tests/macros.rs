//! The attributes `#[tool]`, `#[prompt]`, `#[resource]` and `#[server]`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(feature = "macros")]

use mgp_server_sdk::{
    Json, RiskLevel, Server,
    extract::{Args, Prefix, State},
    prompt, resource, server,
    testing::TestClient,
    tool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::atomic::{AtomicI64, Ordering};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Number {
    n: i64,
}

/// Doubles a number.
///
/// For whole numbers.
#[tool(title = "Doubling", read_only, risk = RiskLevel::Dangerous, permissions(["memory.write"]))]
fn double(Args(Number { n }): Args<Number>) -> Json<Number> {
    Json(Number { n: n * 2 })
}

#[tool(name = "half", description = "Halves a number.")]
async fn halve(State(unit): State<&'static str>, Args(Number { n }): Args<Number>) -> String {
    format!("{} {unit}", n / 2)
}

/// Reviews code.
#[prompt(complete("n", numbers))]
fn review(Args(Number { n }): Args<Number>) -> String {
    format!("Review {n} lines.")
}

fn numbers(Prefix(typed): Prefix) -> Vec<String> {
    vec![format!("{typed}0")]
}

/// The message of the day.
#[resource("motd://today", title = "Today")]
fn motd() -> &'static str {
    "Be kind."
}

/// A number.
#[resource("number://{n}", complete("n", numbers))]
fn number(Args(Number { n }): Args<Number>) -> String {
    n.to_string()
}

#[resource("pixel://one", binary)]
async fn pixel() -> Vec<u8> {
    vec![1]
}

mod elsewhere {
    /// Waves.
    #[mgp_server_sdk::tool]
    pub(crate) fn wave() -> &'static str {
        "waves"
    }
}

async fn described() -> TestClient {
    use elsewhere::wave;
    let server = Server::new("s", "1")
        .state("m")
        .tool(double::tool())
        .tool(halve::tool())
        .tool(wave::tool())
        .prompt(review::prompt())
        .resource(motd::resource())
        .resource(pixel::resource())
        .resource_template(number::resource());
    server.test_client().await.unwrap()
}

#[tokio::test]
async fn a_description_is_the_doc_comment_and_options_are_setters() {
    let tools = described().await.list_tools().await.unwrap();
    let [double, half, wave] = <[_; 3]>::try_from(tools).unwrap();
    assert_eq!(double.name, "double");
    assert_eq!(double.description.as_deref(), Some("Doubles a number.\n\nFor whole numbers."));
    assert_eq!(double.title.as_deref(), Some("Doubling"));
    assert_eq!(double.annotations.unwrap().read_only_hint, Some(true));
    let security = double.security.unwrap();
    assert_eq!((security.risk_level, security.permissions().len()), (RiskLevel::Dangerous, 1));
    assert!(double.output_schema.is_some());
    assert_eq!((half.name.as_str(), half.description.as_deref()), ("half", Some("Halves a number.")));
    assert_eq!(wave.description.as_deref(), Some("Waves."));
}

#[tokio::test]
async fn an_attribute_keeps_its_function_callable() {
    let client = described().await;
    assert_eq!(client.call::<Number>("double", json!({"n": 2})).await.unwrap().n, 4);
    assert_eq!(client.call::<String>("half", json!({"n": 4})).await.unwrap(), "2 m");
    assert_eq!(client.call::<String>("wave", ()).await.unwrap(), "waves");
    let prompt = client.get_prompt("review", json!({"n": "3"})).await.unwrap();
    assert_eq!(prompt.messages[0].content.as_text(), Some("Review 3 lines."));
    assert_eq!(client.read_resource("motd://today").await.unwrap().text(), Some("Be kind."));
    assert_eq!(client.read_resource("number://7").await.unwrap().text(), Some("7"));
    let pixel_read = client.read_resource("pixel://one").await.unwrap();
    assert!(pixel_read.text().is_none() && pixel_read.contents[0].blob.is_some());
    assert_eq!(double(Args(Number { n: 3 })).0.n, 6);
    assert_eq!(halve(State("m"), Args(Number { n: 2 })).await, "1 m");
    assert_eq!(
        (review(Args(Number { n: 1 })), motd(), pixel().await),
        ("Review 1 lines.".to_owned(), "Be kind.", vec![1])
    );
}

struct Counter {
    total: AtomicI64,
}

/// Counts for you.
#[server(name = "counter", version = "2.0.0", title = "Counter")]
impl Counter {
    const START: i64 = 10;

    fn new() -> Self {
        Self { total: AtomicI64::new(Self::START) }
    }

    /// Adds to the total.
    #[tool(idempotent(false))]
    fn count(&self, Args(Number { n }): Args<Number>) -> String {
        (self.total.fetch_add(n, Ordering::SeqCst) + n).to_string()
    }

    /// Returns the total, in a while.
    #[tool]
    async fn total(&self, State(unit): State<&'static str>) -> String {
        tokio::task::yield_now().await;
        format!("{} {unit}", self.total.load(Ordering::SeqCst))
    }

    /// Adds two numbers.
    #[mgp_server_sdk::tool]
    fn add(Args(Number { n }): Args<Number>, State(unit): State<&'static str>) -> String {
        format!("{} {unit}", n + 1)
    }

    #[resource("counter://total")]
    fn resource(&self) -> String {
        self.total.load(Ordering::SeqCst).to_string()
    }

    #[resource("counter://total/{n}")]
    fn plus(&self, Args(Number { n }): Args<Number>) -> String {
        (self.total.load(Ordering::SeqCst) + n).to_string()
    }

    /// Asks for more.
    #[prompt]
    fn more(&self) -> &'static str {
        "Count on."
    }
}

#[tokio::test]
async fn the_methods_of_a_server_share_its_value() {
    let client = Server::from(Counter::new()).state("m").test_client().await.unwrap();
    let server = client.greeting();
    assert_eq!((server.server_info.name.as_str(), server.server_info.version.as_str()), ("counter", "2.0.0"));
    assert_eq!(server.instructions.as_deref(), Some("Counts for you."));
    assert_eq!(server.server_info.title.as_deref(), Some("Counter"));
    assert_eq!(client.call::<i64>("count", json!({"n": 5})).await.unwrap(), 15);
    assert_eq!(client.call::<String>("total", ()).await.unwrap(), "15 m");
    assert_eq!(client.call::<String>("add", json!({"n": 1})).await.unwrap(), "2 m");
    assert_eq!(client.read_resource("counter://total").await.unwrap().text(), Some("15"));
    assert_eq!(client.read_resource("counter://total/5").await.unwrap().text(), Some("20"));
    assert_eq!(client.get_prompt("more", ()).await.unwrap().messages.len(), 1);
    // The methods are as they were.
    assert_eq!(Counter::new().count(Args(Number { n: 1 })), "11");
}

struct GreetParams<T>(T);

#[server]
impl<T: ToString + Send + Sync + 'static> GreetParams<T> {
    /// Tells its name.
    #[tool]
    fn name(&self) -> String {
        self.0.to_string()
    }
}

#[tokio::test]
async fn a_server_is_named_after_its_package_and_may_be_generic() {
    let client = Server::from(GreetParams(7)).test_client().await.unwrap();
    assert_eq!(client.greeting().server_info.name, "mgp-server-sdk");
    assert_eq!(client.greeting().instructions, None);
    let outer = Server::new("outer", "1").nest("a", GreetParams("b")).nest("c", GreetParams('d'));
    let client = outer.test_client().await.unwrap();
    assert_eq!(client.call::<String>("a_name", ()).await.unwrap(), "b");
    assert_eq!(client.call::<String>("c_name", ()).await.unwrap(), "d");
}
