internal import FoundationEssentials
internal import Glibc

/// The CPUs that this program and the server may use.
///
/// With one connection, client and server work in turn. A round trip takes a third of the time if the
/// scheduler runs both on the same CPU. The scheduler's choice is random and lasts for a whole run, so both
/// are bound to one CPU.
enum Processors {
  /// Runs a body while this process, its child processes and new connections of the server are bound to CPU
  /// 0.
  ///
  /// - Parameter server: the process id of the server.
  static func heldToOne<T>(server: Int32, _ body: () async throws -> T) async throws -> T {
    let all = "0-\(ProcessInfo.processInfo.activeProcessorCount - 1)"
    try hold(server, to: "0")
    do {
      let value = try await body()
      try hold(server, to: all)
      return value
    } catch {
      try hold(server, to: all)
      throw error
    }
  }

  private static func hold(_ server: Int32, to list: String) throws {
    for pid in [server, getpid()] {
      _ = try Tool(path: "/usr/bin/taskset").run(["--all-tasks", "--cpu-list", "--pid", list, String(pid)])
    }
  }
}
