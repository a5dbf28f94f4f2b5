//! The server's log, and other notifications.

use crate::support::{Way, builder, connect, everything, within};
use mgp_client_sdk::{
    RawJson,
    mcp::{LogMessageParams, LoggingLevel},
};
use mgp_transport::seam::Notification;
use tokio::sync::mpsc;

#[tokio::test]
async fn log_messages_arrive_from_the_set_level_on_every_connection() {
    for way in Way::ALL {
        let (hear, mut heard) = mpsc::unbounded_channel();
        let (tell, mut told) = mpsc::unbounded_channel();
        let builder = builder()
            .on_log(move |line: LogMessageParams| {
                hear.send((line.level, line.data.to_string())).unwrap();
                async {}
            })
            .on_notification(move |notification: Notification| {
                tell.send(notification.method.to_string()).unwrap();
                async {}
            });
        let connected = connect(*way, everything(), builder).await;
        let client = &connected.client;
        for (level, expected) in [
            (LoggingLevel::Error, &[(LoggingLevel::Error, r#""shouted""#)][..]),
            (
                LoggingLevel::Debug,
                &[(LoggingLevel::Debug, r#""whispered""#), (LoggingLevel::Error, r#""shouted""#)],
            ),
        ] {
            within(client.set_log_level(level)).await.unwrap();
            within(client.call_tool("speak", RawJson::empty_object())).await.unwrap();
            for (level, text) in expected {
                assert_eq!(within(heard.recv()).await.unwrap(), (*level, (*text).to_owned()), "{way:?}");
                assert_eq!(within(told.recv()).await.unwrap(), "notifications/message", "{way:?}");
            }
        }
        assert!(heard.try_recv().is_err(), "{way:?}");
    }
}
