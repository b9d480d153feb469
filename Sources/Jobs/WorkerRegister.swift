internal import FoundationEssentials
internal import Glibc
internal import Postgres

/// The list of workers, for operators: who works, since when, last heard of when.
enum WorkerRegister {
  static func add(_ id: UUID, queues: [String], _ database: Database) async throws {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let process = getpid()
    try await database.execute(
      """
      insert into core.worker (id, host, pid, started_at, heartbeat_at, queues)
      values (\(id), \(host), \(process), now(), now(), \(queues))
      """
    )
  }

  static func remove(_ id: UUID, _ database: Database) async {
    // Unreachable: the row's old heartbeat tells as much.
    _ = try? await database.execute("delete from core.worker where id = \(id)")
  }
}
