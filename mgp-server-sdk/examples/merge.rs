//! One server built from several, for example from one in each module of a program.

use mgp_server_sdk::{Error, Server, Tool, extract::State};

/// The name of the user, which all handlers share.
#[derive(Clone)]
struct User(&'static str);

mod mail {
    use super::{Server, State, Tool, User};

    pub(super) fn server() -> Server {
        let list = |State(User(name)): State<User>| format!("no mail for {name}");
        Server::new("mail", "1.0.0").tool(Tool::new("list", "Lists the mails", list))
    }
}

mod calendar {
    use super::{Server, Tool};

    pub(super) fn server() -> Server {
        Server::new("calendar", "1.0.0").tool(Tool::new("list", "Lists the appointments", || "nothing today"))
    }
}

pub(crate) fn server() -> Server {
    // `merge` keeps the names of tools; `nest` puts a prefix before them.
    Server::new("office", "1.0.0")
        .state(User("Ada"))
        .merge(Server::new("clock", "1.0.0").tool(Tool::new("now", "Tells the time", || "noon")))
        .nest("mail", mail::server())
        .nest("calendar", calendar::server())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
