/// Private keys that `openssl` made.
enum OpenSSLKey {
  /// On P-256, as PKCS #8.
  static let ec = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6PwLG7QiwpZba0Cd
    FIBEzlc6CBzY9RNzwOC/OqTjtGyhRANCAARAEFtYuUFvb2tKRhxovLBJX/g1J9oH
    2YhAhpyHIe4fGZyojhvfHnAyMCfSeXvHqCLpKopdS6ofZv42Sue4gf7h
    -----END PRIVATE KEY-----
    """
  /// The same key in the older form of SEC 1.
  static let sec1 = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIOj8Cxu0IsKWW2tAnRSARM5XOggc2PUTc8Dgvzqk47RsoAoGCCqGSM49
    AwEHoUQDQgAEQBBbWLlBb29rSkYcaLywSV/4NSfaB9mIQIachyHuHxmcqI4b3x5w
    MjAn0nl7x6gi6SqKXUuqH2b+NkrnuIH+4Q==
    -----END EC PRIVATE KEY-----
    """
  /// The same key, encrypted with a password.
  static let encrypted = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjC/R+URxCEHQICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJAaAbc4bHoTS92jy/jpBpQEgZCb
    mDzvsbs2lchy7hMbI5YLE4rRMPJS+MElD54Y4nE8XVy3bRXIHPMoAz0AS2n1QAjR
    dFr9Sq9yuVvW1HvzFVZ2NHl8GZPOMq2XSFzC61h7lgVKg05nmMFe4OzswrkzaHEl
    nVkPxFFFIojuDRAgbRr69czYG7CP8tqMg027+vBwQDL/lb6y3jBcz4yfnwKpkJs=
    -----END ENCRYPTED PRIVATE KEY-----
    """
  /// On another curve.
  static let p384 = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDJAEVp2qY2AnqQecCx
    k8X10uW4Kko1HoqT6BvICIkXXPHywVFRiSDeirZBRQtDbkChZANiAAQq8yBGjzrS
    7cakCXIFEFhqog32dn/IKeprEcplPpEZeN6N/BoY7mtVVzGij6QXZg0+ug/mgDwL
    2MTMXchKE7oKLXndqaGnwNKn3F10TTuooklR5pEFoH8bIF1b55EvJTY=
    -----END PRIVATE KEY-----
    """
  /// For another algorithm.
  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIFAxBASvgSmM/kH8/5KhKZIadSxSWbHcsj7qGqws2BZR
    -----END PRIVATE KEY-----
    """
  /// The public half of the key on P-256.
  static let x = "40105b58b9416f6f6b4a461c68bcb0495ff83527da07d98840869c8721ee1f19"
  static let y = "9ca88e1bdf1e70323027d2797bc7a822e92a8a5d4baa1f66fe364ae7b881fee1"
  /// The modulus of a key for RSA with the exponent 65,537, and its signature of the text `a message`.
  static let modulus = """
    d9d1dc57ead23460da348050da4f6000e09729cdeacb6bb7542877605d7ce5a1b9c1bc9632e9557f37b8a40f9c23d5ff3af8\
    e0fa22437f364cf870788e2e1b1681aeb3dd900edbc5a59ea661ef3107f7e9b4fe311e96796cfc0d4b4ba2a0f16fc28a21f7\
    390a010aa3cba1eae2eef1b878d7d7db7229c52516c07b990aef49ae02b4c4078821f1194861e428c2b5d351f2f308b63392\
    dec9f082e52ac45a224f5987e86f44b0527ec9c882e946adc315fcc16550188a7cf42b585eb17a4401499c97e81e2db549dc\
    161df793780f1b1b0a977b6fab3ab9fe9ea13e0ecb2c3689ad5e5d22da8f0a575b5a032182128c3f6948143f90e625fead28\
    05f9e7031a09
    """
  static let signature = """
    6fd287e15207908d6b91634953b4e2e5715769aee48f39b32239d1e3da14bf4e2db9f359ff50fad6dc21c63efbea21c79419\
    053d818ad4e0436b3c71c9bf5811f497a87e5abac33b2088271aac1f4c3b3fe855ea061f25e413b7b638038b983c4c3771f3\
    f5443995c32941329d53ea60504dd07cd1564b5b845c1d2efa62bd9fa4bfe05188e2519b141284c83f5b6532a4f9cf701085\
    300c6ba753df38a70a21ad7eeee43af5b0c83f2bd05650bee6e682e07e33422ae29d07f74725ee7af4d1dd2aef51fb518c10\
    78178de86d54622f4313ae52012e5868e8452716aef7766560c3f46141ffa69d61d337963d938058da22c2bb6c7f0dd13e81\
    7fc1fa27e3d0
    """
}
