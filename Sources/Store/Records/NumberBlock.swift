package import Domain

/// A block of consecutive numbers that were reserved together.
package struct NumberBlock: Sendable {
  /// The format of the numbers.
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

  /// Takes the next number of the block; nil if the block is used up.
  package mutating func take() -> RecordNumber? {
    guard next <= last else { return nil }
    defer { next += 1 }
    return RecordNumber(counter: next, format: format)
  }
}

/// The number of one record.
package struct RecordNumber: Sendable, Hashable {
  /// The counter, by which numbers are sorted.
  package let counter: Int64
  /// The number in its format for display.
  package let text: String

  package init(counter: Int64, format: NumberFormat) {
    self.counter = counter
    text = format.number(counter)
  }

  /// The columns of the record's row.
  package var fields: JSONObject { ["number": .string(text), "number_seq": .integer(counter)] }
}

/// The numbers that a unit of work has taken, and those reserved for it, by record type.
package struct WorkNumbers: Sendable {
  /// The highest counter taken by the unit of work, whose rows may not be written yet.
  package var highest: [String: Int64] = [:]
  /// The blocks reserved before the unit of work began.
  package var blocks: [String: NumberBlock] = [:]
  /// The numbers claimed for several records at once, in ascending order.
  package var claimed: [String: [RecordNumber]] = [:]

  package init() {}
}
