//! The function takes nine arguments.

use mgp_server_sdk::{Session, Tool};

async fn all(
    _: Session,
    _: Session,
    _: Session,
    _: Session,
    _: Session,
    _: Session,
    _: Session,
    _: Session,
    _: Session,
) {
}

pub fn tool() -> Tool {
    Tool::new("all", "Takes too much", all)
}
