extension Database {
  /// Runs a body, and then closes the connections, also after an error.
  ///
  /// - Returns: the value of the body.
  /// - Throws: the error of the body unchanged.
  package func thenClose<Value>(_ body: (Database) async throws -> Value) async throws -> Value {
    do {
      let value = try await body(self)
      await close()
      return value
    } catch {
      await close()
      throw error
    }
  }
}
