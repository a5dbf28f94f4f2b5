//! A custom section: a method that a kernel answers in addition to its own.
//!
//! Run it with `cargo run -p mgp-kernel --example section`.
use mgp_client_sdk::client::Client;
use mgp_kernel::{Kernel, Principal};
use motto::{ChangeMotto, Motto};
use std::sync::{Arc, Mutex};

/// The section. It could be a separate crate that only depends on `mgp-types` and `mgp-transport`.
mod motto {
    use mgp_transport::seam::{Role, Routes};
    use mgp_types::rpc::{Call, ErrorObject};
    use serde::{Deserialize, Serialize};
    use std::sync::{Arc, Mutex};

    /// The method that changes the motto, and returns the previous one.
    pub(crate) struct ChangeMotto;

    /// A motto.
    #[derive(Serialize, Deserialize)]
    pub(crate) struct Motto {
        pub(crate) text: String,
    }

    impl Call for ChangeMotto {
        const METHOD: &'static str = "com.example/motto/change";
        type Params = Motto;
        type Result = Motto;
    }

    /// Returns the methods of the section.
    pub(crate) fn routes() -> Routes<Arc<Mutex<String>>> {
        Routes::new().typed(ChangeMotto, Role::Admin, async |motto: Arc<Mutex<String>>, _, Motto { text }| {
            if text.is_empty() {
                return Err(ErrorObject::invalid_params("invalid text: expected a motto"));
            }
            let mut motto = motto.lock().map_err(|_| ErrorObject::internal("the motto is lost"))?;
            Ok(Motto { text: std::mem::replace(&mut motto, text) })
        })
    }
}

async fn host(kernel: &Kernel, principal: Principal) -> Result<Client, Box<dyn std::error::Error>> {
    let (input, output) = kernel.face().in_process(principal);
    Ok(Client::builder("host", "1.0.0").connect(input, output).await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let motto = Arc::new(Mutex::new("festina lente".to_owned()));
    let kernel = Kernel::builder().routes(motto::routes().with_state(motto)).start().await?;
    let new = Motto { text: "carpe diem".to_owned() };
    let admin = host(&kernel, Principal::agent("root").with_admin()).await?;
    println!("before: {}", admin.request::<ChangeMotto>(&new).await?.text);
    let Err(refusal) = host(&kernel, Principal::agent("ann")).await?.request::<ChangeMotto>(&new).await
    else {
        return Err("the method is for admins".into());
    };
    println!("refused: {refusal}");
    kernel.shutdown().await;
    Ok(())
}
