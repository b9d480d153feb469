/// A first-in, first-out queue. Appending and removing take constant time on average.
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
      // Frees the front when more than half of the array is empty, so that on average each element is moved
      // at most once.
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
