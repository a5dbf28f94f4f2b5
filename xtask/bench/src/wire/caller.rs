//! A client with its own connection.

use super::{
    answer,
    connection::Connection,
    request::{self, Era, Requests},
};
use crate::{adder::Add, measure::Caller};
use std::{net::SocketAddr, sync::Arc};
use tokio::sync::Mutex;

/// A client with its own connection, and a session if the era has sessions.
#[derive(Debug, Clone)]
pub(crate) struct HttpCaller(Arc<Mutex<Client>>);

#[derive(Debug)]
struct Client {
    connection: Connection,
    requests: Requests,
    tool: String,
    /// Kept to reuse the allocation.
    body: String,
    text: String,
}

impl HttpCaller {
    /// Connects to a server, and shakes hands if the era has a handshake. `tool` is the name of the adder there.
    pub(crate) async fn connect(
        address: SocketAddr,
        path: &str,
        tool: &str,
        era: Era,
    ) -> Result<Self, String> {
        let connection = Connection::open(address).await?;
        let requests = Requests::new(address, path);
        let (body, text) = (String::new(), String::new());
        let mut client = Client { connection, requests, tool: tool.to_owned(), body, text };
        let requests = Requests::new(address, path);
        client.requests = match era {
            Era::Stateless => requests.stateless(tool),
            Era::Session => {
                let session = client.exchange(&request::initialize()).await?;
                client.requests = requests.in_session(session.as_deref());
                client.exchange(request::INITIALIZED).await?;
                Requests::new(address, path).in_session(session.as_deref())
            }
        };
        Ok(Self(Arc::new(Mutex::new(client))))
    }

    /// Connects in a session, makes one call and disconnects. Fails if the server is not up.
    pub(crate) async fn ready(address: SocketAddr, path: &str, tool: &str) -> Result<(), String> {
        Self::connect(address, path, tool, Era::Session).await?.call(0).await
    }

    /// Connects many clients.
    pub(crate) async fn connect_many(
        count: usize,
        address: SocketAddr,
        path: &str,
        tool: &str,
        era: Era,
    ) -> Result<Vec<Self>, String> {
        let mut callers = Vec::with_capacity(count);
        for _ in 0..count {
            callers.push(Self::connect(address, path, tool, era).await?);
        }
        Ok(callers)
    }
}

/// Posts JSON once, on a new connection.
///
/// # Errors
/// The server cannot be reached, or does not answer with a success.
pub(crate) async fn post(address: SocketAddr, path: &str, body: &str) -> Result<(), String> {
    let (connection, requests) = (Connection::open(address).await?, Requests::new(address, path));
    let (tool, text) = (String::new(), String::new());
    Client { connection, requests, tool, body: String::new(), text }.exchange(body).await.map(drop)
}

impl Client {
    /// Sends a message of the handshake, and returns the session that the response names.
    async fn exchange(&mut self, body: &str) -> Result<Option<String>, String> {
        self.requests.write(&mut self.text, body);
        let response = self.connection.send(&self.text).await?;
        if !(200..300).contains(&response.status) {
            let said = String::from_utf8_lossy(&response.body);
            return Err(format!("{body} was answered with {}: {said}", response.status));
        }
        Ok(response.session.clone())
    }
}

impl Caller for HttpCaller {
    async fn call(&self, number: i64) -> Result<(), String> {
        let mut client = self.0.lock().await;
        let client = &mut *client;
        let add = Add::of(number);
        client.requests.call(&mut client.body, &client.tool, add);
        client.requests.write(&mut client.text, &client.body);
        let response = client.connection.send(&client.text).await?;
        answer::check(add, &response.body)
    }
}
