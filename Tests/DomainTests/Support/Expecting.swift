import Testing

@testable import Domain

/// Returns the code with which a body refuses, and records an issue if it does not.
func refusal(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) -> DomainError? {
  do {
    try body()
    Issue.record("nothing was refused", sourceLocation: sourceLocation)
    return nil
  } catch let error as DomainError {
    return error
  } catch {
    Issue.record("refused with another kind of error: \(error)", sourceLocation: sourceLocation)
    return nil
  }
}
