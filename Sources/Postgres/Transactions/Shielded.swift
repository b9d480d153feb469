/// Runs a write that puts right what a cancelled task leaves behind, such as a lease. It completes in a task of its own,
/// because every call on a ``Database`` fails in a task that is cancelled.
///
/// - Throws: the error of the body.
package func shielded<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
  -> Value
{
  // A task may also be cancelled while the body runs.
  try await Task { try await body() }.value
}
