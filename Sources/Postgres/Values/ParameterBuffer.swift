/// The bound values of one statement, in PostgreSQL's binary format.
///
/// A ``PostgresEncodable`` type appends its bytes here; the buffer keeps track of lengths and nulls.
public struct ParameterBuffer: Sendable {
  struct Slot: Sendable {
    var type: UInt32
    var offset: Int32
    /// −1 for null.
    var length: Int32
    /// Position of this value's `$` in the statement's text.
    var placeholder: Int32
  }

  private(set) var bytes: [UInt8] = []
  private(set) var slots: [Slot] = []
  private var isNull = false

  init() {}

  var count: Int { slots.count }

  mutating func reserveCapacity(_ values: Int) {
    slots.reserveCapacity(values)
    bytes.reserveCapacity(values * 16)
  }

  mutating func bind<T: PostgresEncodable>(_ value: T, at placeholder: Int) {
    let start = bytes.count
    isNull = false
    value.encode(into: &self)
    let length = isNull ? -1 : Int32(bytes.count - start)
    slots.append(
      Slot(type: T.postgresType.oid, offset: Int32(start), length: length, placeholder: Int32(placeholder))
    )
  }

  /// Binds a value that is already encoded; nil for null.
  mutating func append(_ encoded: [UInt8]?, type: UInt32, at placeholder: Int) {
    slots.append(
      Slot(
        type: type,
        offset: Int32(bytes.count),
        length: encoded.map { Int32($0.count) } ?? -1,
        placeholder: Int32(placeholder)
      )
    )
    bytes += encoded ?? []
  }

  mutating func append(_ slot: Slot, of other: ParameterBuffer, at placeholder: Int) {
    var copy = slot
    copy.offset = Int32(bytes.count)
    copy.placeholder = Int32(placeholder)
    if slot.length > 0 {
      bytes.append(contentsOf: other.bytes[Int(slot.offset)..<Int(slot.offset + slot.length)])
    }
    slots.append(copy)
  }

  /// Appends an integer, most significant byte first.
  ///
  /// PostgreSQL's binary formats are big-endian.
  public mutating func append<T: FixedWidthInteger>(_ integer: T) {
    withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes unchanged.
  ///
  /// The bytes must be in the binary format of the declared type.
  public mutating func append(bytes more: some Sequence<UInt8>) {
    bytes.append(contentsOf: more)
  }

  /// Appends text as UTF-8.
  public mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  /// Makes the value null; nothing else may be appended for it.
  public mutating func appendNull() {
    isNull = true
  }

  /// Appends one element of an array or one field of a row, with its length. Returns true if it is null.
  @discardableResult
  mutating func appendElement<T: PostgresEncodable>(_ value: T) -> Bool {
    let header = reserveInt32()
    isNull = false
    value.encode(into: &self)
    let wasNull = isNull
    isNull = false
    overwrite(wasNull ? -1 : Int32(bytes.count - header - 4), at: header)
    return wasNull
  }

  mutating func reserveInt32() -> Int {
    append(Int32(0))
    return bytes.count - 4
  }

  mutating func overwrite<T: FixedWidthInteger>(_ value: T, at index: Int) {
    withUnsafeBytes(of: value.bigEndian) { source in
      for offset in source.indices { bytes[index + offset] = source[offset] }
    }
  }

  mutating func reserveBytes(_ count: Int) {
    bytes.reserveCapacity(count)
  }

  mutating func removeAllBytes() {
    bytes.removeAll(keepingCapacity: true)
  }
}
