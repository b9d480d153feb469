package import Domain

/// Numbers that were reserved together, in their order.
package struct NumberBlock: Sendable {
  /// How they read.
  package let format: NumberFormat
  /// The first counter of the block.
  package let first: Int64
  /// The last counter of the block.
  package let last: Int64
  private var next: Int64

  package init(format: NumberFormat, first: Int64, count: Int64) {
    self.format = format
    self.first = first
    last = first + count - 1
    next = first
  }

  /// Takes the next number; nil when the block is used up.
  package mutating func take() -> RecordNumber? {
    guard next <= last else { return nil }
    defer { next += 1 }
    return RecordNumber(counter: next, format: format)
  }
}

/// The number of one record.
package struct RecordNumber: Sendable, Hashable {
  /// Its counter, by which numbers are sorted.
  package let counter: Int64
  /// The number as people read it.
  package let text: String

  package init(counter: Int64, format: NumberFormat) {
    self.counter = counter
    text = format.number(counter)
  }

  /// The columns of the record's row.
  package var fields: JSONObject { ["number": .string(text), "number_seq": .integer(counter)] }
}

/// The numbers that a unit of work has taken and those that were reserved for it, by record type.
package struct WorkNumbers: Sendable {
  /// The highest counter taken by the unit of work; its rows may not be written yet.
  package var highest: [String: Int64] = [:]
  /// Reserved before the unit of work began.
  package var blocks: [String: NumberBlock] = [:]

  package init() {}
}
