package import Domain
package import Testing

/// The refusal that a command ended with; an issue when it succeeded.
package func refused(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async throws -> DomainError {
  let error = await #expect(throws: DomainError.self, sourceLocation: sourceLocation) { try await body() }
  return try #require(error, sourceLocation: sourceLocation)
}
