package import Domain
package import Testing

/// Returns the refusal of a command; records an issue if it succeeds.
package func refused(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async throws -> DomainError {
  let error = await #expect(throws: DomainError.self, sourceLocation: sourceLocation) { try await body() }
  return try #require(error, sourceLocation: sourceLocation)
}
