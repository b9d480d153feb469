internal import Cluster
internal import CoreCommands
internal import ServiceLifecycle

/// Looks after the embedded PostgreSQL of a process that runs on it: one that was killed is started again, and one
/// that somebody stopped takes the process with it.
struct ClusterKeeper: Service {
  private let cluster: EmbeddedCluster
  private static let interval: Duration = .seconds(1)

  init(_ cluster: EmbeddedCluster) {
    self.cluster = cluster
  }

  /// Returns when somebody has stopped the server, or when it is told to finish.
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

  /// Starts the server again; what hinders it is told, and it is tried again.
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
