/// Distinct elements in the order of their insertion. Every operation takes constant time.
struct LinkedOrder<Element: Hashable> {
  private struct Links {
    var previous: Element?
    var next: Element?
  }

  private var links: [Element: Links] = [:]
  private(set) var first: Element?
  private var last: Element?

  var isEmpty: Bool { links.isEmpty }
  var count: Int { links.count }

  func contains(_ element: Element) -> Bool { links[element] != nil }

  /// Adds an element at the end, unless it is contained.
  mutating func append(_ element: Element) {
    guard links[element] == nil else { return }
    links[element] = Links(previous: last, next: nil)
    if let last { links[last]?.next = element } else { first = element }
    last = element
  }

  /// Removes an element, if it is contained.
  mutating func remove(_ element: Element) {
    guard let removed = links.removeValue(forKey: element) else { return }
    if let previous = removed.previous { links[previous]?.next = removed.next } else { first = removed.next }
    if let next = removed.next { links[next]?.previous = removed.previous } else { last = removed.previous }
  }
}
