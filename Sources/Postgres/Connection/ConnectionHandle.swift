internal import CLibPQ
internal import Glibc

/// A libpq connection that is closed exactly once.
struct ConnectionHandle: ~Copyable {
  let raw: OpaquePointer

  /// Connects. Blocks until the server has answered or `connect_timeout` has passed for each host.
  ///
  /// - Throws: ``PostgresError`` of kind `connection`.
  init(parameters: [(String, String)]) throws(PostgresError) {
    // libpq takes null-terminated arrays of C strings.
    var keys = parameters.map { UnsafePointer(strdup($0.0)) } + [nil]
    var values = parameters.map { UnsafePointer(strdup($0.1)) } + [nil]
    defer {
      for pointer in keys + values { free(UnsafeMutableRawPointer(mutating: pointer)) }
    }
    guard let raw = PQconnectdbParams(&keys, &values, 1) else {
      throw PostgresError(.connection, "libpq ran out of memory")
    }
    guard PQstatus(raw) == CONNECTION_OK else {
      let error = PostgresError(connection: raw)
      PQfinish(raw)
      throw error
    }
    // By default libpq prints notices to standard error, which belongs to the program.
    PQsetNoticeProcessor(raw, { _, _ in }, nil)
    self.raw = raw
  }

  deinit {
    PQfinish(raw)
  }
}
