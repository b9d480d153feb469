internal import FoundationEssentials
internal import Glibc

/// The CPUs that this program and the server may use.
///
/// With one connection only one side works at a time, so the result depends on the CPU on which the scheduler
/// wakes the other side: on the same CPU a round trip takes a third of the time. The scheduler's choice is
/// random and lasts for a whole run.
enum Processors {
  /// Runs a body while this process, its tools and all new connections of the server are bound to one CPU.
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
