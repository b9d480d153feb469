/// The parallel C arrays of bound values that libpq requires; reused for each statement of a connection.
final class BindArrays {
  private(set) var types: UnsafeMutablePointer<UInt32>
  private(set) var values: UnsafeMutablePointer<UnsafePointer<CChar>?>
  private(set) var lengths: UnsafeMutablePointer<Int32>
  private(set) var formats: UnsafeMutablePointer<Int32>
  private var capacity: Int

  init() {
    capacity = 32
    types = .allocate(capacity: capacity)
    values = .allocate(capacity: capacity)
    lengths = .allocate(capacity: capacity)
    formats = .allocate(capacity: capacity)
    formats.initialize(repeating: 1, count: capacity)
  }

  deinit {
    deallocate()
  }

  /// Fills the arrays and lends them to `body`; the pointers are valid until it returns.
  func with<T>(_ parameters: ParameterBuffer, _ body: (BindArrays) -> T) -> T {
    if parameters.count > capacity { grow(to: parameters.count) }
    return parameters.bytes.withUnsafeBytes { bytes in
      for (index, slot) in parameters.slots.enumerated() {
        types[index] = slot.type
        lengths[index] = max(0, slot.length)
        if slot.length < 0 {
          values[index] = nil
        } else if let start = bytes.baseAddress {
          values[index] = (start + Int(slot.offset)).assumingMemoryBound(to: CChar.self)
        } else {
          // A value of zero bytes needs an address too: a null pointer means SQL null.
          values[index] = UnsafeRawPointer(lengths).assumingMemoryBound(to: CChar.self)
        }
      }
      return body(self)
    }
  }

  private func grow(to count: Int) {
    deallocate()
    capacity = max(count, capacity * 2)
    types = .allocate(capacity: capacity)
    values = .allocate(capacity: capacity)
    lengths = .allocate(capacity: capacity)
    formats = .allocate(capacity: capacity)
    formats.initialize(repeating: 1, count: capacity)
  }

  private func deallocate() {
    types.deallocate()
    values.deallocate()
    lengths.deallocate()
    formats.deallocate()
  }
}
