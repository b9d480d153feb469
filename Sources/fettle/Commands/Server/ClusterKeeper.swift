internal import Cluster
internal import CoreCommands
internal import ServiceLifecycle

/// Supervises the embedded PostgreSQL of a process: restarts the server after a crash, and ends the process
/// after another process has stopped the server.
struct ClusterKeeper: Service {
  private let cluster: EmbeddedCluster
  private static let interval: Duration = .seconds(1)

  init(_ cluster: EmbeddedCluster) {
    self.cluster = cluster
  }

  /// Returns after another process has stopped the server, or on graceful shutdown.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: Self.interval)) != nil {
        switch cluster.standing {
        case .ready, .busy: continue
        case .crashed: await restart()
        case .stopped: return Message.tell("PostgreSQL was stopped by somebody else")
        }
      }
    }
  }

  /// Restarts the server. After a failure, prints a message; the next check tries again.
  private func restart() async {
    Message.tell("PostgreSQL ended unexpectedly; restarting it")
    do {
      _ = try await cluster.start()
      Message.tell("PostgreSQL is back")
    } catch is CancellationError {
    } catch {
      Message.tell("cannot start PostgreSQL: \(error)")
    }
  }
}
