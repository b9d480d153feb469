/// First come, first served; both ends in constant time.
struct Line<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }

  var first: Element? { isEmpty ? nil : elements[head] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 64, head * 2 > elements.count {
      // Room is given back when more than half is empty, so that each element is moved once at most on average.
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
