//! The word that ends the dashboard.

use tokio::sync::watch;

/// Waits until the dashboard is told to stop, or the sender is gone.
pub async fn told_to_stop(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
