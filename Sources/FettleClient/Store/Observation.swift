internal import GRDB

/// The values of a query: the first one now, the next ones after changes of the store.
///
/// ```swift
/// for try await entries in client.records("maintenance.entry").observe() { show(entries) }
/// ```
public struct Observation<Value: Sendable>: AsyncSequence, Sendable {
  /// Iterates over the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var iterator: AsyncValueObservation<Value>.AsyncIterator

    init(_ iterator: AsyncValueObservation<Value>.AsyncIterator) { self.iterator = iterator }

    /// Waits for the next value; nil after the end.
    @concurrent public mutating func next() async throws -> Value? { try await iterator.next() }
  }

  private let values: AsyncValueObservation<Value>

  init(_ values: AsyncValueObservation<Value>) { self.values = values }

  /// Starts the observation.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(values.makeAsyncIterator()) }
}
