# SPDX-License-Identifier: Apache-2.0
"""Which standard header has which name, for the names that the library uses."""

import re

STANDARD = re.compile(r"\bstd::(?:ranges::)?(\w+)")
HOMES = {
    "algorithm": "adjacent_find all_of any_of binary_search clamp copy copy_if count count_if equal equal_range fill "
                 "fill_n find find_if find_if_not for_each includes is_permutation is_sorted "
                 "lexicographical_compare lexicographical_compare_three_way inplace_merge lower_bound max max_element merge min "
                 "min_element minmax minmax_element mismatch none_of nth_element partition partition_point "
                 "remove remove_if replace reverse rotate search set_difference set_intersection set_union sort "
                 "stable_partition stable_sort transform unique upper_bound",
    "array": "array to_array",
    "atomic": "atomic memory_order_acq_rel memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": "bit_cast bit_ceil bit_width countl_zero countr_zero endian has_single_bit popcount rotl rotr",
    "bitset": "bitset",
    "charconv": "from_chars to_chars",
    "compare": "compare_three_way is_eq is_lt partial_ordering strong_ordering weak_ordering",
    "concepts": "convertible_to derived_from integral invocable predicate same_as signed_integral unsigned_integral "
                "equality_comparable",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t",
    "cstdint": "int16_t int32_t int64_t int8_t uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "cstdio": "fputs stderr",
    "cstdlib": "abort",
    "cstring": "memchr memcmp memcpy memmove memset",
    "deque": "deque",
    "functional": "equal_to greater invoke not_fn reference_wrapper",
    "initializer_list": "initializer_list",
    "iterator": "back_inserter distance inserter make_move_iterator next prev",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr addressof construct_at destroy_at",
    "new": "launder nothrow",
    "numeric": "accumulate gcd iota partial_sum",
    "optional": "nullopt optional",
    "set": "multiset set",
    "span": "span",
    "string": "char_traits string to_string",
    "string_view": "string_view",
    "system_error": "errc",
    "tuple": "apply tie tuple tuple_size_v forward_as_tuple",
    "type_traits": "conditional_t decay_t enable_if_t false_type integral_constant invoke_result_t is_aggregate_v "
                   "is_class_v is_const_v is_constant_evaluated is_convertible_v is_copy_constructible_v is_enum_v is_integral_v is_invocable_r_v "
                   "is_constructible_v is_invocable_v is_lvalue_reference_v is_member_object_pointer_v is_nothrow_move_constructible_v is_pointer_v is_same_v is_trivially_copyable_v make_unsigned_t "
                   "remove_const_t remove_cvref_t remove_reference_t true_type type_identity type_identity_t underlying_type_t void_t",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "as_const cmp_less declval exchange forward in_place in_place_t in_range index_sequence index_sequence_for make_index_sequence move pair swap "
               "piecewise_construct to_underlying unreachable",
    "vector": "vector",
    "variant": "get_if holds_alternative monostate variant visit",
}
HOME = {name: f"<{header}>" for header, names in HOMES.items() for name in names.split()}
# These come with every container, less with those whose default it is, hash with whatever has one.
EVERYWHERE = {"begin", "cbegin", "cend", "data", "empty", "end", "erase", "erase_if", "forward_iterator_tag", "get", "hash", "less", "rbegin", "rend", "size", "ssize"}
