internal import Glibc

/// Measures the memory of the server for each idle connection.
struct IdleFigures {
  let count: Int

  /// Opens connections, sends one request on each, and compares the resident memory of the server.
  ///
  /// The connections come from several addresses of 127.0.0.0/8, because one has only 28,000 ports.
  ///
  /// - Returns: the bytes per connection.
  func measure(_ server: WebServer) async throws -> Double {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    // The first requests allocate what all later ones share.
    for _ in 0..<50 {
      let descriptor = try Loopback.connect(port: server.port)
      _ = Loopback.ask(descriptor, "/livez")
      close(descriptor)
    }
    let before = server.process.residentBytes
    for index in 0..<count {
      let descriptor = try Loopback.connect(port: server.port, from: 2 + index / 80)
      descriptors.append(descriptor)
      guard Loopback.ask(descriptor, "/livez") == 200 else {
        throw Tool.Failure(description: "connection \(index + 1) got no answer")
      }
    }
    return Double(server.process.residentBytes - before) / Double(count)
  }
}
