//! A custom stack of layers, without a kernel: a section's methods behind the gates of the handshake and of the lifecycle, with a time
//! limit, and a separate lane for health and cancellation.
//!
//! Run it with `cargo run -p mgp-client-sdk --example stack`.
use mgp_client_sdk::{Call, Connection, Reply, Role, Routes, client::Client, memory};
use mgp_lifecycle::{
    gate::{Gate, LifecycleLayer},
    handshake::HandshakeLayer,
    health::Health,
    state::StateMachine,
};
use mgp_server_sdk::{handshake::Handshake, lane::lane};
use mgp_stream::cancel::CancelLayer;
use mgp_types::{
    lifecycle::{CheckHealth, ServerState},
    mcp::{Implementation, Initialize, ServerCapabilities},
    negotiation::ServerProfile,
    rpc::Empty,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tower::{ServiceBuilder, timeout::TimeoutLayer};

/// The method that doubles a number.
struct Double;

#[derive(Serialize, Deserialize)]
struct Number {
    number: u32,
}

impl Call for Double {
    const METHOD: &'static str = "com.example/double";
    type Params = Number;
    type Result = Number;
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let states = StateMachine::new("doubler");
    states.transition(ServerState::Connecting, "built")?;
    states.transition(ServerState::Connected, "built")?;
    let health = Health::new("doubler");
    let handshake = Handshake {
        implementation: Implementation::new("doubler", "1.0.0"),
        instructions: None,
        capabilities: ServerCapabilities::default(),
        profile: ServerProfile::default(),
    };
    let work = Routes::new().route(Double, Role::Anyone, async |(), message| {
        let Number { number } = message.params.decode()?;
        Ok(Reply::from_value(&Number { number: number.saturating_mul(2) }))
    });
    let limited = ServiceBuilder::new()
        .layer(LifecycleLayer::new(Gate::new(states)))
        .layer(TimeoutLayer::new(Duration::from_secs(5)))
        .layer(CancelLayer::new())
        .service(work.clone());
    // Only the work passes the gate and the limit; the handshake and health do not.
    let routes = Routes::new()
        .route(Initialize, Role::Anyone, async |handshake: Handshake, message| Ok(handshake.answer(&message)))
        .with_state(handshake)
        .merge(Health::routes().with_state(health.clone()))
        .merge(work.through(limited));
    let service = ServiceBuilder::new().layer(HandshakeLayer::new()).service(routes);

    let (here, there) = memory::pair();
    let server = Connection::builder(service).lane(lane(health)).over(there.0, there.1);
    tokio::spawn(server.closed());
    let client = Client::builder("host", "1.0.0").connect(here.0, here.1).await?;
    println!("21 doubled: {}", client.request::<Double>(&Number { number: 21 }).await?.number);
    println!("health: {}", client.request::<CheckHealth>(&Empty::default()).await?.status);
    Ok(())
}
