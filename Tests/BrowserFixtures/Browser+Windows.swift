internal import Values

extension Browser {
  /// The identifiers of the windows and tabs.
  package var windows: [String] {
    get async throws { try await command("GET", "/window/handles").array?.compactMap(\.string) ?? [] }
  }

  /// The identifier of the window that commands go to.
  package var window: String { get async throws { try await command("GET", "/window").string ?? "" } }

  /// Opens another tab of the same profile; commands go there from now on.
  ///
  /// - Returns: the identifier of the window so far.
  @discardableResult
  package func openTab() async throws -> String {
    let old = try await window
    let opened = try await command("POST", "/window/new", ["type": "tab"])
    try await use(opened["handle"]?.string ?? "")
    return old
  }

  /// Sends further commands to another window.
  package func use(_ window: String) async throws {
    try await command("POST", "/window", ["handle": .string(window)])
  }

  /// Closes the window, and sends further commands to the first of the others.
  package func closeTab() async throws {
    if let next = try await command("DELETE", "/window").array?.first?.string { try await use(next) }
  }
}
