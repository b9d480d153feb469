/// Keys and tokens that `openssl dgst -sha256 -sign` made, and no code of ours.
enum OpenSSLToken {
  static let modulus = """
    2dHcV-rSNGDaNIBQ2k9gAOCXKc3qy2u3VCh3YF185aG5wbyWMulVfze4pA-cI9X_Ovjg-iJDfzZM-HB4ji4bFoGus92QDtvFpZ6m\
    Ye8xB_fptP4xHpZ5bPwNS0uioPFvwooh9zkKAQqjy6Hq4u7xuHjX19tyKcUlFsB7mQrvSa4CtMQHiCHxGUhh5CjCtdNR8vMItjOS\
    3snwguUqxFoiT1mH6G9EsFJ-yciC6UatwxX8wWVQGIp89CtYXrF6RAFJnJfoHi21SdwWHfeTeA8bGwqXe2-rOrn-nqE-\
    DsssNomtXl0i2o8KV1taAyGCEow_aUgUP5DmJf6tKAX55wMaCQ
    """
  static let exponent = "AQAB"
  static let rs256 = """
    eyJhbGciOiJSUzI1NiIsImtpZCI6Im9wZW5zc2wifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQtM\
    SIsInN1YiI6InBlcnNvbi0xIiwibm9uY2UiOiJub25jZS0xIiwiaWF0IjoxNzk5OTk5OTk1LCJleHAiOjE4MDAwMDM2MDB9.MPuu\
    hGNmTr0hIo3HKISCCBxEORM0-R1RFJH8d7NhRpHv8oK5SU-zNxIPj97dQWHadzxboZFh_iY4jB_bDkXzDeEuOEUwx5PkhVuGmW1F\
    4JEN0Fjq6XEhTChTNWQ3LNgo50mKfY6UuoG0AA-5g6yDs2uZh4HLPi_mCleh0mfxX5hLW5zUN3h7gHm_uybFFUUBuNX5uAGWbn0N\
    --mqXcaW--H6HJ7s4m73EDpMw63q5h1r99NTU0F6PFkdnGFtnRhTORF6J5x1RkyGQWNIcEnefYo3apF99utnjgG-\
    D_A8vFAA87omuUWTOv2d-ZCLMjopKVRiAPnSE9Hw_lum0lbb1w
    """

  static let x = "QBBbWLlBb29rSkYcaLywSV_4NSfaB9mIQIachyHuHxk"
  static let y = "nKiOG98ecDIwJ9J5e8eoIukqil1Lqh9m_jZK57iB_uE"
  static let es256 = """
    eyJhbGciOiJFUzI1NiIsImtpZCI6Im9wZW5zc2wifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQtM\
    SIsInN1YiI6InBlcnNvbi0xIiwibm9uY2UiOiJub25jZS0xIiwiaWF0IjoxNzk5OTk5OTk1LCJleHAiOjE4MDAwMDM2MDB9.LSk3\
    UewduQOgm40rS6W7tCmqLw7OPTJJ721fnez-4tu4QLjnbPYmj4xxwBh-4yZmcrFJNgnOgjzqm2eRC4ODVA
    """
}
